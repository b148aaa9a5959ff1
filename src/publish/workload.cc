// SPDX-License-Identifier: Apache-2.0
#include "publish/workload.h"

#include <algorithm>
#include <filesystem>
#include <set>

#include "base/suggest.h"
#include "policy/fields.h"
#include "policy/value.h"
#include "publish/sheets.h"
#include "publish/workload_axes.h"

namespace discreet::publish {
namespace {

using policy::Fields;
using policy::Mistakes;
using policy::Node;
using Kind = Node::Kind;

constexpr std::size_t kTablesMax = 20'000;
constexpr std::int64_t kRangesMax = 200;
const char* const kTablesExample = "tables: {by_region: [region]}";

/// Everything that is being put together.
struct Reader {
  const policy::Policy& policy;
  std::string directory;
  Mistakes& mistakes;
  Workload out = {};
  AxisReader axes;
  std::set<std::string> names = {};
  bool may_read_files = true;
};

double weight_of(Fields& fields) {
  const auto text = fields.get_text("weight");
  if (!text) return 1;
  const auto weight = Rational::parse(*text);
  if (weight && weight->sign() > 0) return weight->to_double(Round::kUp);
  fields.wrong("weight", "is " + in_quotes(*text), "write a number above 0, such as 2");
  return 1;
}

bool is_new_name(Reader& reader, const Node& node, const std::string& path) {
  if (!policy::check_name(node.key, node.key_line, path, reader.mistakes)) return false;
  if (reader.names.insert(node.key).second) return true;
  reader.mistakes.add(node.key_line, path + " has a name that stands elsewhere in the workload",
                      "give it another name");
  return false;
}

/// Columns of a list, as axes; nothing when one is wrong.
std::optional<std::vector<std::size_t>> axes_of(Reader& reader, const Node& list,
                                                const std::string& path) {
  std::vector<std::size_t> out;
  bool good = true;
  for (const Node* item : policy::texts_of(list, path, reader.mistakes)) {
    const auto axis = reader.axes.find(item->text, item->line, path, reader.out);
    good = good && axis.has_value();
    if (!axis) continue;
    if (std::find(out.begin(), out.end(), *axis) != out.end()) {
      reader.mistakes.add(item->line, path + " names " + in_quotes(item->text) + " twice",
                          "a table has a column once");
      good = false;
    }
    out.push_back(*axis);
  }
  if (!good) return std::nullopt;
  return out;
}

void add_table(Reader& reader, AskedTable table) {
  for (const AskedTable& other : reader.out.tables) {
    if (other.measure != table.measure || other.set() != table.set()) continue;
    reader.mistakes.add(table.line,
                        "tables " + in_quotes(other.name) + " (line " + std::to_string(other.line) +
                            ") and " + in_quotes(table.name) + " ask for the same cells",
                        "leave one out, or give it a larger weight");
    return;
  }
  if (reader.out.tables.size() == kTablesMax) {
    reader.mistakes.add(table.line, "the workload has more than 20000 tables", "ask for fewer");
  }
  if (reader.out.tables.size() < kTablesMax) reader.out.tables.push_back(std::move(table));
}

void read_table(Reader& reader, const Node& node) {
  const std::string path = "tables." + policy::shown(node.key);
  if (!is_new_name(reader, node, path)) return;
  AskedTable table{.name = node.key, .line = node.key_line};
  if (node.is(Kind::kList) || node.is(Kind::kScalar)) {
    if (const auto axes = axes_of(reader, node, path)) {
      table.axes = *axes;
      add_table(reader, std::move(table));
    }
    return;
  }
  Fields fields(node, path, {"columns", "sum", "weight"}, reader.mistakes);
  if (!node.is(Kind::kMap)) return;
  fields.require("columns", "columns: [region, sex]; [] for the total");
  const Node* const list = fields.get("columns");
  table.weight = weight_of(fields);
  if (const auto sum = fields.get_text("sum")) {
    const auto measure = reader.axes.measure(*sum, fields.line_of("sum"), path, reader.out);
    if (!measure) return;
    table.measure = *measure;
  }
  if (list == nullptr) return;
  if (const auto axes = axes_of(reader, *list, path + ".columns")) {
    table.axes = *axes;
    add_table(reader, std::move(table));
  }
}

/// All tables of k of these columns.
void read_marginals(Reader& reader, const Node& node) {
  Fields fields(node, "marginals", {"columns", "ways", "weight"}, reader.mistakes);
  if (!node.is(Kind::kMap)) return;
  const std::string example = "marginals: {columns: [age, sex, region], ways: 2}";
  fields.require("columns", example);
  fields.require("ways", example);
  const auto ways = fields.get_count("ways", 6);
  const Node* const list = fields.get("columns");
  const double weight = weight_of(fields);
  if (!ways || list == nullptr) return;
  auto axes = axes_of(reader, *list, "marginals.columns");
  if (!axes) return;
  if (axes->size() < static_cast<std::size_t>(*ways)) {
    fields.wrong("ways", "is more than there are columns", "take at most their number");
    return;
  }
  std::vector<bool> chosen(axes->size(), false);
  std::fill_n(chosen.begin(), *ways, true);
  std::size_t made = 0;
  do {
    AskedTable table{.name = "", .line = node.key_line, .weight = weight};
    for (std::size_t i = 0; i < chosen.size(); ++i) {
      if (!chosen[i]) continue;
      table.axes.push_back((*axes)[i]);
      table.name += (table.name.empty() ? "" : "_") + reader.out.axes[(*axes)[i]].name;
    }
    if (!reader.names.insert(table.name).second) table.name += "_marginal";
    add_table(reader, std::move(table));
  } while (++made <= kTablesMax && std::prev_permutation(chosen.begin(), chosen.end()));
}

/// The columns as a set, so that another order is the same.
std::set<std::size_t> columns_of(const AskedRanges& ranges) {
  return {ranges.by.begin(), ranges.by.end()};
}

void add_ranges(Reader& reader, AskedRanges ranges) {
  for (const AskedRanges& other : reader.out.ranges) {
    if (other.axis != ranges.axis || columns_of(other) != columns_of(ranges)) continue;
    reader.mistakes.add(ranges.line,
                        "ranges " + in_quotes(other.name) + " (line " + std::to_string(other.line) +
                            ") and " + in_quotes(ranges.name) + " ask for the same cells",
                        "leave one out: kind: ranges has the running sums too");
    return;
  }
  reader.out.ranges.push_back(std::move(ranges));
}

void read_ranges(Reader& reader, const Node& node) {
  const std::string path = "ranges." + policy::shown(node.key);
  if (!is_new_name(reader, node, path)) return;
  AskedRanges ranges{.name = node.key, .line = node.key_line};
  Fields fields(node, path, {"column", "kind", "by", "weight"}, reader.mistakes);
  if (!node.is(Kind::kMap)) return;
  fields.require("column", "column: age, a number or a date");
  ranges.weight = weight_of(fields);
  ranges.kind = static_cast<RangeKind>(fields.get_word("kind", {"prefix", "ranges"}).value_or(0));
  if (const Node* by = fields.get("by")) {
    const auto axes = axes_of(reader, *by, path + ".by");
    if (!axes) return;
    ranges.by = *axes;
  }
  const auto column = fields.get_text("column");
  if (!column) return;
  const auto axis = reader.axes.find(*column, fields.line_of("column"), path, reader.out);
  if (!axis) return;
  ranges.axis = *axis;
  const WorkloadAxis& used = reader.out.axes[*axis];
  if (!used.labels.empty()) {
    fields.wrong("column", "is " + in_quotes(*column) + ", whose values have no order",
                 "take a column with a range");
  } else if (std::find(ranges.by.begin(), ranges.by.end(), *axis) != ranges.by.end()) {
    fields.wrong("by", "names the column itself", "leave it out");
  } else if (used.places() > 16'384) {
    fields.wrong("column", "has more than 16384 places", "give it wider bins under columns");
  } else if (ranges.kind == RangeKind::kRanges && used.places() > kRangesMax) {
    fields.wrong("kind", "asks for all ranges of more than 200 places",
                 "write kind: prefix (any range is a difference of two), or wider bins");
  } else {
    add_ranges(reader, std::move(ranges));
  }
}

/// Lines of child,parent: written into the workload, or in a file that it names.
Result<std::string> parents_of(const std::string& given, const Reader& reader) {
  if (given.find('\n') != given.npos) return given;
  if (!reader.may_read_files) {
    return Error{Code::kRefused,
                 "a workload that was sent cannot name files; write the lines of child,parent into "
                 "it, with parents: |"};
  }
  return read_whole_file((std::filesystem::path(reader.directory) / given).string());
}

void read_hierarchies(Reader& reader, const Node& node) {
  const std::string path = "hierarchies." + policy::shown(node.key);
  if (!is_new_name(reader, node, path)) return;
  AskedHierarchy asked{.name = node.key, .line = node.key_line};
  Fields fields(node, path, {"column", "parents", "weight"}, reader.mistakes);
  if (!node.is(Kind::kMap)) return;
  fields.require("column", "column: tract, the smallest areas");
  fields.require("parents", "parents: geography.csv, lines of child,parent");
  asked.weight = weight_of(fields);
  const auto column = fields.get_text("column");
  const auto file = fields.get_text("parents");
  if (!column || !file) return;
  const auto axis = reader.axes.find(*column, fields.line_of("column"), path, reader.out);
  if (!axis) return;
  asked.axis = *axis;
  const auto text = parents_of(*file, reader);
  if (!text) {
    reader.mistakes.add(fields.line_of("parents"), path, text.error());
    return;
  }
  std::vector<std::string> leaves;
  for (std::int64_t i = 0; i < reader.out.axes[*axis].places(); ++i) {
    leaves.push_back(reader.out.axes[*axis].label(i));
  }
  auto tree = read_hierarchy(*text, leaves);
  if (!tree) {
    reader.mistakes.add(fields.line_of("parents"), path + ": " + *file, tree.error());
    return;
  }
  asked.tree = std::move(*tree);
  for (const AskedHierarchy& other : reader.out.hierarchies) {
    if (other.axis != asked.axis || other.tree.parents != asked.tree.parents) continue;
    reader.mistakes.add(asked.line,
                        "hierarchies " + in_quotes(other.name) + " (line " +
                            std::to_string(other.line) + ") and " + in_quotes(asked.name) +
                            " ask for the same cells",
                        "leave one out, or give it a larger weight");
    return;
  }
  reader.out.hierarchies.push_back(std::move(asked));
}

void read_price(Fields& fields, WorkloadPrice& price) {
  const int ways = fields.has("rho") + fields.has("epsilon") + fields.has("error");
  if (ways != 1) {
    fields.wrong(ways == 0 ? "table" : "rho",
                 ways == 0 ? "has no price beside it" : "is one of several prices",
                 "give one of rho: 0.1, epsilon: 1 (and delta: 1e-6), or error: 30");
    return;
  }
  const auto number = [&fields](const char* key) -> std::optional<Rational> {
    const auto text = fields.get_text(key);
    if (!text) return std::nullopt;
    const auto value = Rational::parse(*text);
    if (value && value->sign() > 0 && *value < Rational(1'000'000'000)) return *value;
    fields.wrong(key, "is " + in_quotes(*text), "write a number above 0");
    return std::nullopt;
  };
  price.rho = number("rho");
  price.epsilon = number("epsilon");
  if (const auto error = number("error")) price.error = error->to_double(Round::kDown);
  if (price.epsilon && !fields.has("delta")) {
    fields.wrong("epsilon", "needs a delta", "add delta: 1e-6; or give rho");
  }
  if (const auto delta = number("delta")) {
    price.delta = *delta;
    if (*delta >= Rational(1)) fields.wrong("delta", "is not below 1", "write 1e-6");
  }
}

/// Numbers that are published as they are must agree with each other.
void check_invariants(Reader& reader, const Node& node) {
  const auto wrong = [&](const std::string& what) {
    reader.mistakes.add(node.key_line, "invariants: " + what, "give numbers that agree");
  };
  std::optional<double> total;
  for (const Invariant& invariant : reader.out.invariants) {
    const bool top = invariant.table.find('/') == std::string::npos ||
                     std::any_of(reader.out.hierarchies.begin(), reader.out.hierarchies.end(),
                                 [&](const AskedHierarchy& h) {
                                   return invariant.table == h.name + "/" + h.tree.names[0][0];
                                 });
    if (!top) continue;
    if (total && *total != invariant.value) {
      wrong("two numbers of all rows differ, the second at " + in_quotes(invariant.table));
    }
    total = invariant.value;
  }
  for (const AskedHierarchy& hierarchy : reader.out.hierarchies) {
    FixedAreas fixed = reader.out.fixed_areas(hierarchy);
    if (total) fixed[{0, 0}] = *total;
    for (std::size_t l = 0; l + 2 < hierarchy.tree.levels(); ++l) {
      std::vector<double> sums(static_cast<std::size_t>(hierarchy.tree.nodes(l)), 0);
      std::vector<bool> open(sums.size(), false);
      for (std::size_t i = 0; i < hierarchy.tree.parents[l].size(); ++i) {
        const auto parent = static_cast<std::size_t>(hierarchy.tree.parents[l][i]);
        const auto found = fixed.find({l + 1, static_cast<std::int64_t>(i)});
        if (found == fixed.end()) open[parent] = true;
        if (found != fixed.end()) sums[parent] += found->second;
      }
      for (const auto& [node_at, value] : fixed) {
        const auto i = static_cast<std::size_t>(node_at.second);
        if (node_at.first != l || (sums[i] <= value && (open[i] || sums[i] == value))) continue;
        wrong("the areas within " + in_quotes(hierarchy.tree.names[l][i]) + " do not add up to it");
      }
    }
  }
}

void read_invariants(Reader& reader, const Node& node) {
  for (const Node& child : node.children) {
    const auto value = child.is(Kind::kScalar) ? Rational::parse(child.text)
                                               : Result<Rational>(invalid_input("none"));
    const std::string path = "invariants." + policy::shown(child.key);
    if (!value) {
      reader.mistakes.add(child.line, path + " is no number",
                          "write the number that is published as it is");
      continue;
    }
    const std::string owner = child.key.substr(0, child.key.find('/'));
    const bool total = std::any_of(
        reader.out.tables.begin(), reader.out.tables.end(), [&](const AskedTable& table) {
          return table.name == child.key && table.axes.empty() && table.measure == 0;
        });
    bool node_known = false;
    for (const AskedHierarchy& hierarchy : reader.out.hierarchies) {
      if (hierarchy.name != owner || child.key.size() <= owner.size()) continue;
      for (const auto& names : hierarchy.tree.names) {
        node_known = node_known || std::find(names.begin(), names.end(),
                                             child.key.substr(owner.size() + 1)) != names.end();
      }
    }
    if (!total && !node_known) {
      reader.mistakes.add(child.key_line, path + " names no total and no area of a hierarchy",
                          "name a table without columns, or hierarchy/area above the smallest");
      continue;
    }
    if (value->sign() < 0) {
      reader.mistakes.add(child.line, path + " is below 0", "a number of rows is 0 or more");
      continue;
    }
    reader.out.invariants.push_back({child.key, value->to_double(Round::kDown)});
  }
  check_invariants(reader, node);
}

void each(Fields& fields, const std::string& key, const std::string& example, Reader& reader,
          void (*read)(Reader&, const Node&)) {
  const Node* const node = fields.get_map(key, example);
  if (node == nullptr) return;
  for (const Node& child : node->children) read(reader, child);
}

void read_root(const Node& root, Reader& reader) {
  Fields fields(root, "workload",
                {"version", "about", "table", "columns", "tables", "marginals", "ranges",
                 "hierarchies", "invariants", "objective", "rho", "epsilon", "delta", "error",
                 "rows_per_unit", "nonnegative", "confidence"},
                reader.mistakes);
  if (!root.is(Kind::kMap)) return;
  Workload& out = reader.out;
  out.measures.push_back({.name = "rows"});
  if (const Node* about = fields.get_map("about", "about: {name: .., curator: .., use: ..}")) {
    Fields words(*about, "about", {"name", "curator", "use", "region", "sector"}, reader.mistakes);
    out.about = {.name = words.get_text("name").value_or(""),
                 .curator = words.get_text("curator").value_or(""),
                 .use = words.get_text("use").value_or(""),
                 .region = words.get_text("region").value_or(""),
                 .sector = words.get_text("sector").value_or("")};
    const std::vector<std::string>& sectors = registry_sectors();
    const bool is_known =
        std::find(sectors.begin(), sectors.end(), out.about.sector) != sectors.end();
    if (words.has("sector") && !is_known) {
      words.wrong("sector", "is " + in_quotes(out.about.sector), "write " + one_of(sectors));
    }
  }
  fields.require("table", "table: people, one of the policy's with units");
  out.table = fields.get_text("table").value_or("");
  const policy::Table* const table = reader.policy.find(out.table);
  if (fields.has("table") && (table == nullptr || table->is_public())) {
    std::vector<std::string> known;
    for (const auto& [name, one] : reader.policy.tables) {
      if (!one.is_public()) known.push_back(name);
    }
    fields.wrong("table",
                 "is " + in_quotes(out.table) + ", which the policy does not declare with units" +
                     did_you_mean(out.table, known),
                 known.empty() ? "declare one" : "name " + one_of(known));
  }
  if (table == nullptr || table->is_public()) return;
  reader.axes.table = table;
  if (const Node* columns = fields.get_map("columns", "columns: {age: {bins: 10}}")) {
    reader.axes.read_uses(*columns);
  }
  each(fields, "tables", kTablesExample, reader, read_table);
  if (const Node* marginals = fields.get("marginals")) read_marginals(reader, *marginals);
  each(fields, "ranges", "ranges: {ages: {column: age}}", reader, read_ranges);
  each(fields, "hierarchies", "hierarchies: {places: {column: tract, parents: places.csv}}", reader,
       read_hierarchies);
  if (!fields.has("tables") && !fields.has("marginals") && !fields.has("ranges") &&
      !fields.has("hierarchies")) {
    fields.wrong("table", "is asked for nothing: the workload is empty", kTablesExample);
  }
  if (const Node* invariants = fields.get_map("invariants", "invariants: {total: 1000}")) {
    read_invariants(reader, *invariants);
  }
  out.objective =
      static_cast<Objective>(fields.get_word("objective", {"total", "worst"}).value_or(0));
  read_price(fields, out.price);
  out.rows_per_unit = fields.get_count("rows_per_unit", 1'000'000);
  out.nonnegative = fields.get_boolean("nonnegative").value_or(false);
  if (const auto text = fields.get_text("confidence")) {
    const auto confidence = Confidence::parse(*text);
    if (confidence) {
      out.confidence = confidence->value().to_double(Round::kDown);
    } else {
      fields.wrong("confidence", "is " + in_quotes(*text), "write a number such as 0.95");
    }
  }
}

}  // namespace

AttributeSet AskedTable::set() const {
  AttributeSet set;
  for (const std::size_t axis : axes) set.push_back(static_cast<int>(axis));
  std::sort(set.begin(), set.end());
  return set;
}

std::vector<Attribute> Workload::attributes() const {
  std::vector<Attribute> out;
  for (const WorkloadAxis& axis : axes) out.push_back({axis.name, axis.places()});
  return out;
}

std::optional<double> Workload::fixed_total() const {
  for (const Invariant& invariant : invariants) {
    if (invariant.table.find('/') == std::string::npos) return invariant.value;
    for (const AskedHierarchy& hierarchy : hierarchies) {
      if (invariant.table == hierarchy.name + "/" + hierarchy.tree.names[0][0]) {
        return invariant.value;
      }
    }
  }
  return std::nullopt;
}

FixedAreas Workload::fixed_areas(const AskedHierarchy& hierarchy) const {
  FixedAreas out;
  for (const Invariant& invariant : invariants) {
    if (!invariant.table.starts_with(hierarchy.name + "/")) continue;
    const std::string area = invariant.table.substr(hierarchy.name.size() + 1);
    for (std::size_t l = 1; l < hierarchy.tree.names.size(); ++l) {
      const auto& names = hierarchy.tree.names[l];
      const auto found = std::find(names.begin(), names.end(), area);
      if (found != names.end()) out[{l, found - names.begin()}] = invariant.value;
    }
  }
  return out;
}

Result<Workload> read_workload(const std::string& text, const std::string& file,
                               const policy::Policy& policy) {
  Mistakes mistakes;
  policy::Document document = policy::read_document(text);
  mistakes.add(std::move(document.mistakes));
  Reader reader{.policy = policy,
                .directory = policy::directory_of(file),
                .mistakes = mistakes,
                .axes = AxisReader(mistakes),
                .may_read_files = !file.empty()};
  if (document.root) read_root(*document.root, reader);
  if (mistakes.empty()) return std::move(reader.out);
  const std::vector<policy::Mistake> all = mistakes.take();
  std::string out = (file.empty() ? "the workload" : file) + " has " + std::to_string(all.size()) +
                    (all.size() == 1 ? " mistake: " : " mistakes: ");
  for (std::size_t i = 0; i < all.size(); ++i) {
    out += (i == 0 ? "" : "; ") + std::string("line ") + std::to_string(all[i].line) + ": " +
           all[i].message + " (" + all[i].fix + ")";
  }
  return invalid_input(out);
}

Result<Workload> load_workload(const std::string& file, const policy::Policy& policy) {
  DISCREET_ASSIGN(const std::string text, read_whole_file(file));
  return read_workload(text, file, policy);
}

}  // namespace discreet::publish
