// SPDX-License-Identifier: Apache-2.0
// The module discreet._discreet: exact noise on arrays that Python holds, written where they are.
// The package around it (python/discreet) is what people use: it turns numbers into exact texts and
// a Failure into its exception. Data of a policy never comes here: see cli/keep.cc.
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/string.h>

#include "base/error.h"
#include "cli/own_arrays.h"

namespace nb = nanobind;

namespace discreet::python {
namespace {

using Values = nb::ndarray<const std::int64_t, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
using Place = nb::ndarray<std::int64_t, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

PyObject* failure = nullptr;  // the exception; lives as long as the module

/// Raises Failure(code, message).
[[noreturn]] void fail(const Error& error) {
  const nb::object pair = nb::make_tuple(std::string(describe(error.code).name), error.message);
  PyErr_SetObject(failure, pair.ptr());
  throw nb::python_error();
}

/// Runs `work` while other threads of Python go on.
template <class Work>
void aside(const Work& work) {
  const Result<void> result = [&] {
    const nb::gil_scoped_release others_run;
    return work();
  }();
  if (!result) fail(result.error());
}

nb::list codes() {
  nb::list rows;
  for (const CodeFacts& facts : all_codes()) {
    rows.append(nb::make_tuple(std::string(facts.name), facts.exit_status,
                               std::string(facts.python_exception)));
  }
  return rows;
}

template <class Quantity>
Quantity parsed(const std::string& text) {
  Result<Quantity> quantity = Quantity::parse(text);
  if (!quantity) fail(quantity.error());
  return *quantity;
}

void check_lengths(const Values& values, const Place& out) {
  if (values.size() != out.size()) fail(invalid_input("out must be as long as the values"));
}

void laplace(const Values& values, const Place& out, const std::string& sensitivity,
             const std::string& epsilon) {
  check_lengths(values, out);
  const auto whole_array = parsed<Sensitivity>(sensitivity);
  const auto price = parsed<Epsilon>(epsilon);
  aside([&] {
    return cli::add_laplace({values.data(), values.size()}, {out.data(), out.size()}, whole_array,
                            price);
  });
}

void gaussian(const Values& values, const Place& out, const std::string& sensitivity,
              const std::string& rho) {
  check_lengths(values, out);
  const auto whole_array = parsed<Sensitivity>(sensitivity);
  const auto price = parsed<Rho>(rho);
  aside([&] {
    return cli::add_gaussian({values.data(), values.size()}, {out.data(), out.size()}, whole_array,
                             price);
  });
}

}  // namespace
}  // namespace discreet::python

NB_MODULE(_discreet, module) {
  using namespace discreet::python;
  failure = PyErr_NewException("discreet._discreet.Failure", nullptr, nullptr);
  module.attr("Failure") = nb::borrow(failure);
  module.def("codes", codes);
  module.def("laplace", laplace);
  module.def("gaussian", gaussian);
}
