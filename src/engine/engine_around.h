// SPDX-License-Identifier: Apache-2.0
// An engine around another one, to which it passes everything on; who derives from it says what is
// to be different.
#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "engine/engine.h"

namespace discreet::engine {

class EngineAround : public Engine {
 public:
  /// `inner` must outlive this.
  explicit EngineAround(Engine& inner) : inner_(inner) {}
  explicit EngineAround(std::unique_ptr<Engine> inner) : own_(std::move(inner)), inner_(*own_) {}

  Result<void> ready(const plan::Checked& checked, const OwnerLog& log) override {
    return inner_.ready(checked, log);
  }
  Result<Sensitive<mechanism::Groups>> run(const plan::Checked& checked,
                                           const OwnerLog& log) override {
    return inner_.run(checked, log);
  }
  std::string explain(const plan::Checked& checked) const override {
    return inner_.explain(checked);
  }
  void interrupt() override { inner_.interrupt(); }
  Result<std::vector<std::string>> public_values(const policy::Policy& policy,
                                                 const std::string& table,
                                                 const std::string& column, std::size_t most,
                                                 const OwnerLog& log) override {
    return inner_.public_values(policy, table, column, most, log);
  }
  Result<std::int64_t> multiplicity(const policy::Policy& policy, const std::string& table,
                                    const std::vector<std::string>& columns,
                                    const OwnerLog& log) override {
    return inner_.multiplicity(policy, table, columns, log);
  }
  Result<std::vector<std::string>> repeated_keys(const policy::Policy& policy,
                                                 const OwnerLog& log) override {
    return inner_.repeated_keys(policy, log);
  }

 protected:
  Result<Sensitive<mechanism::UnitRows>> read_rows(const plan::CheckedRows& question,
                                                   const random::Secret* names,
                                                   const OwnerLog& log) override {
    return names == nullptr ? inner_.rows(question, log) : inner_.named_rows(question, *names, log);
  }
  Engine& inner() const { return inner_; }

 private:
  std::unique_ptr<Engine> own_;
  Engine& inner_;
};

}  // namespace discreet::engine
