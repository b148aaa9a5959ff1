// SPDX-License-Identifier: Apache-2.0
// Governor Weld: a hospital table without names, joined with a voter roll by ZIP code, birth date
// and sex. Then what people do against it, and why it does not help.
#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <set>

#include "audit/attack/scene.h"
#include "mechanism/laplace_vector.h"

namespace discreet::audit {
namespace {

constexpr int kZips = 7;
constexpr int kDays = 26298;  // 72 years
constexpr int kDiagnoses = 40;
constexpr int kOthers = 96;        // with ZIP, birth date, sex and diagnosis: 100 attributes
constexpr int kEncountersMax = 4;  // of one person, declared and enforced
constexpr int kGovernorsDay = 11111;
constexpr int kGovernorsZip = 3;

struct WeldPerson {
  int zip;
  int day;
  int sex;
};

struct Encounter {
  std::uint32_t person;  ///< what the attacker wants; not in the table
  std::uint8_t zip;
  std::uint16_t day;
  std::uint8_t sex;
  std::uint8_t diagnosis;
  std::array<std::uint8_t, kOthers> others;  ///< ward, week of admission, length of stay, ...
};

/// The first voter is the governor: six people share his birth date, three of them are men, one of
/// these lives in his ZIP code.
std::vector<WeldPerson> make_voters(int n, SeededBits& coins) {
  std::vector<WeldPerson> voters = {{kGovernorsZip, kGovernorsDay, 1},
                                    {kGovernorsZip + 1, kGovernorsDay, 1},
                                    {0, kGovernorsDay, 1},
                                    {kGovernorsZip, kGovernorsDay, 0},
                                    {1, kGovernorsDay, 0},
                                    {2, kGovernorsDay, 0}};
  while (static_cast<int>(voters.size()) < n) {
    auto day = static_cast<int>(coins.below(kDays));
    if (day == kGovernorsDay) continue;
    voters.push_back({static_cast<int>(coins.below(kZips)), day, static_cast<int>(coins.below(2))});
  }
  return voters;
}

/// About three encounters for each patient, who keeps a main diagnosis.
std::vector<Encounter> make_encounters(const std::vector<WeldPerson>& voters, int rows,
                                       SeededBits& coins) {
  std::vector<Encounter> table;
  std::uint32_t who = 0;
  while (static_cast<int>(table.size()) < rows) {
    const WeldPerson& person = voters[who];
    // Common diagnoses are a lot more common.
    const double u = coins.unit();
    const auto main = static_cast<std::uint8_t>(u * u * u * kDiagnoses);
    const int visits = 2 + static_cast<int>(coins.below(kEncountersMax - 1));
    for (int v = 0; v < visits && static_cast<int>(table.size()) < rows; ++v) {
      Encounter one{who,
                    static_cast<std::uint8_t>(person.zip),
                    static_cast<std::uint16_t>(person.day),
                    static_cast<std::uint8_t>(person.sex),
                    main,
                    {}};
      for (std::uint8_t& other : one.others) other = static_cast<std::uint8_t>(coins.below(52));
      table.push_back(one);
    }
    who = static_cast<std::uint32_t>((who + 1) % voters.size());
  }
  return table;
}

/// How coarse a released table is: days in a step of the birth date, ZIP codes in a step.
struct Level {
  int days;
  int zips;
  const char* text;
};
constexpr Level kLevels[] = {{1, 1, "day, ZIP"},
                             {30, 1, "month, ZIP"},
                             {365, 1, "year, ZIP"},
                             {1826, 1, "5 years, ZIP"},
                             {1826, kZips, "5 years, no ZIP"},
                             {3652, kZips, "10 years, no ZIP"},
                             {kDays, kZips, "no date, no ZIP"}};

int group_of(int zip, int day, int sex, const Level& level) {
  return (zip / level.zips * (kDays + 1) + day / level.days) * 2 + sex;
}

struct Table {
  std::map<int, std::vector<std::size_t>> groups;
  const Level* level = nullptr;
  std::size_t hidden = 0;  ///< rows left out, in groups that are too small
};

/// The finest level at which at most 2 % of the rows must be left out: groups of at least k rows
/// with at least l diagnoses.
Table generalize(const std::vector<Encounter>& rows, std::size_t k, std::size_t l) {
  Table table;
  for (const Level& level : kLevels) {
    table = {{}, &level, 0};
    for (std::size_t i = 0; i < rows.size(); ++i) {
      table.groups[group_of(rows[i].zip, rows[i].day, rows[i].sex, level)].push_back(i);
    }
    for (auto at = table.groups.begin(); at != table.groups.end();) {
      std::set<std::uint8_t> diagnoses;
      for (const std::size_t i : at->second) diagnoses.insert(rows[i].diagnosis);
      if (at->second.size() >= k && diagnoses.size() >= l) {
        ++at;
        continue;
      }
      table.hidden += at->second.size();
      at = table.groups.erase(at);
    }
    if (table.hidden * 50 <= rows.size()) break;
  }
  return table;
}

int most_common(const std::vector<Encounter>& rows, const std::vector<std::size_t>& group) {
  std::array<int, kDiagnoses> counts{};
  for (const std::size_t i : group) ++counts[rows[i].diagnosis];
  return static_cast<int>(std::max_element(counts.begin(), counts.end()) - counts.begin());
}

/// The attacker knows a patient's ZIP, birth date and sex, and perhaps `facts` of the other
/// attributes of one visit (the week, the ward); how often is the diagnosis guessed?
Measured guess_diagnosis(const std::string& name, const std::vector<Encounter>& rows,
                         const Table& table, int facts, int trials,
                         const std::function<bool()>& stopped, SeededBits& coins) {
  std::uint64_t right = 0;
  int done = 0;
  for (; done < trials && !(done % 512 == 0 && stopped && stopped()); ++done) {
    const Encounter& target = rows[coins.below(rows.size())];
    const auto found =
        table.groups.find(group_of(target.zip, target.day, target.sex, *table.level));
    if (found == table.groups.end()) continue;
    std::vector<std::size_t> fitting;
    for (const std::size_t i : found->second) {
      const auto known = static_cast<std::ptrdiff_t>(facts);
      if (std::equal(rows[i].others.begin(), rows[i].others.begin() + known,
                     target.others.begin())) {
        fitting.push_back(i);
      }
    }
    right += most_common(rows, fitting) == target.diagnosis ? 1 : 0;
  }
  return measured(name, right, static_cast<std::uint64_t>(done));
}

}  // namespace

Result<AttackRun> attack_weld(const AttackOptions& options) {
  const int people = options.size > 0 ? options.size : 54000;
  if (people < 1000) {
    return invalid_input("weld needs a voter roll of at least 1000 people (--size); got " +
                         std::to_string(people));
  }
  if (people > 1'000'000)
    return invalid_input("at most 1000000 people; got " + std::to_string(people));
  const int rows_wanted = people * 5 / 2;  // 135,000 encounters for 54,000 people
  const int trials = options.trials > 0 ? options.trials : 2000;
  SeededBits coins(options.seed);
  const std::vector<WeldPerson> voters = make_voters(people, coins);
  const std::vector<Encounter> rows = make_encounters(voters, rows_wanted, coins);
  AttackRun run;
  const auto stop = [&](int permille) {
    if (options.progress) options.progress(permille);
    run.exhibit.partial = run.exhibit.partial || (options.stopped && options.stopped());
    return run.exhibit.partial;
  };
  run.exhibit.title = "Governor Weld: " + std::to_string(rows.size()) + " encounters, " +
                      std::to_string(people) + " voters";

  // The join.
  std::map<int, std::vector<std::uint32_t>> roll;
  for (std::uint32_t v = 0; v < voters.size(); ++v) {
    roll[group_of(voters[v].zip, voters[v].day, voters[v].sex, kLevels[0])].push_back(v);
  }
  std::uint64_t linked = 0;
  for (int t = 0; t < trials && !(t % 512 == 0 && stop(50)); ++t) {
    const Encounter& one = rows[coins.below(rows.size())];
    const auto& matches = roll[group_of(one.zip, one.day, one.sex, kLevels[0])];
    linked += matches.size() == 1 && matches[0] == one.person ? 1 : 0;
  }
  int same_day = 0, men = 0, here = 0;
  for (const WeldPerson& voter : voters) {
    if (voter.day != kGovernorsDay) continue;
    ++same_day;
    men += voter.sex;
    here += voter.sex == 1 && voter.zip == kGovernorsZip ? 1 : 0;
  }
  run.exhibit.sections.push_back(
      {.heading = "The linkage",
       .words = {"The hospital table has 100 attributes and no names. On the voter roll " +
                 std::to_string(same_day) + " people share the governor's birth date, " +
                 std::to_string(men) + " of them are men, and " + std::to_string(here) +
                 " lives in his ZIP code: his record is found."}});
  run.measured.push_back(
      measured("names removed: who is it?", linked, static_cast<std::uint64_t>(trials)));
  run.measured.back().chance = 1.0 / people;

  // k-anonymity and l-diversity.
  std::vector<std::size_t> everyone(rows.size());
  for (std::size_t i = 0; i < everyone.size(); ++i) everyone[i] = i;
  const int common = most_common(rows, everyone);
  std::uint64_t of_common = 0;
  for (const Encounter& one : rows) of_common += one.diagnosis == common ? 1 : 0;
  const double chance = static_cast<double>(of_common) / static_cast<double>(rows.size());
  report::Section coarse{.heading = "Coarser tables",
                         .columns = {"released", "level", "groups", "rows left out",
                                     "groups of one diagnosis", "groups of one person"}};
  struct Release {
    const char* name;
    std::size_t k;
    std::size_t l;
  };
  int step = 0;
  for (const Release& release : {Release{"2-anonymous", 2, 1}, Release{"5-anonymous", 5, 1},
                                 Release{"10-anonymous", 10, 1}, Release{"3-diverse", 5, 3}}) {
    if (stop(100 + 180 * step++)) break;
    const Table table = generalize(rows, release.k, release.l);
    std::size_t same = 0, alone = 0;
    for (const auto& [key, group] : table.groups) {
      std::set<std::uint8_t> diagnoses;
      std::set<std::uint32_t> persons;
      for (const std::size_t i : group) {
        diagnoses.insert(rows[i].diagnosis);
        persons.insert(rows[i].person);
      }
      same += diagnoses.size() == 1 ? 1 : 0;
      alone += persons.size() == 1 ? 1 : 0;
    }
    coarse.rows.push_back(
        {report::Cell::words(release.name), report::Cell::words(table.level->text),
         report::Cell::number(std::to_string(table.groups.size())),
         report::Cell::number(std::to_string(table.hidden)),
         report::Cell::number(std::to_string(same)), report::Cell::number(std::to_string(alone))});
    if (release.l == 1) {
      run.measured.push_back(
          guess_diagnosis(std::string(release.name) + ": diagnosis (homogeneity)", rows, table, 0,
                          trials, options.stopped, coins));
      run.measured.back().chance = chance;
      run.measured.back().must_succeed = release.k <= 2;
    }
    run.measured.push_back(
        guess_diagnosis(std::string(release.name) + ": diagnosis (two facts of a visit known)",
                        rows, table, 2, trials, options.stopped, coins));
    run.measured.back().chance = chance;
  }
  coarse.words = {
      "A group of k rows can be one person's k visits, and then it is not anonymous at "
      "all; a group of one diagnosis tells it without telling who is who (homogeneity). "
      "Where both are ruled out, whoever knows two facts of a visit that nobody thought "
      "of as identifying (the week, the ward) finds the row again: with 100 attributes "
      "there are always some."};
  run.exhibit.sections.push_back(std::move(coarse));

  // The research question, through the kernel: encounters by diagnosis.
  DISCREET_ASSIGN(const Epsilon epsilon, Epsilon::of(options.epsilon));
  DISCREET_ASSIGN(const auto noise,
                  mechanism::LaplaceVector::make(
                      {.sensitivity = Sensitivity::trusted(kEncountersMax), .epsilon = epsilon}));
  std::vector<std::int64_t> counts(kDiagnoses);
  for (const Encounter& one : rows) ++counts[one.diagnosis];
  const std::vector<std::int64_t> released = answer(noise, counts, coins);
  report::Section question{
      .heading = "The same research question, through discreet",
      .words = {"Encounters by diagnosis, at most " + std::to_string(kEncountersMax) +
                " for each person, epsilon " + options.epsilon.to_string() +
                " (the kernel's Laplace vector). The five most common:"},
      .columns = {"diagnosis", "released", "off by"}};
  std::vector<std::size_t> order(kDiagnoses);
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
  std::sort(order.begin(), order.end(),
            [&](std::size_t a, std::size_t b) { return counts[a] > counts[b]; });
  for (std::size_t i = 0; i < 5; ++i) {
    const std::size_t d = order[i];
    question.rows.push_back(
        {report::Cell::words("D" + std::to_string(d)),
         report::Cell::number(std::to_string(released[d])),
         report::Cell::number(percent(std::abs(static_cast<double>(released[d] - counts[d])) /
                                      static_cast<double>(std::max<std::int64_t>(1, counts[d]))))});
  }
  run.exhibit.sections.push_back(std::move(question));
  // The governor has diagnosis 0 or 1 in all his visits: all else is known to the attacker.
  std::uint64_t ours = 0;
  for (int t = 0; t < trials && !(t % 512 == 0 && stop(900)); ++t) {
    const std::size_t truth = coins.below(2);
    std::vector<std::int64_t> base = counts;
    base[truth] += kEncountersMax;
    const std::vector<std::int64_t> seen = answer(noise, base, coins);
    const auto size = [&](std::size_t d, std::int64_t with) {
      return std::abs(static_cast<double>(seen[d] - counts[d] - with));
    };
    const double zero = size(0, kEncountersMax) + size(1, 0);
    const double one = size(0, 0) + size(1, kEncountersMax);
    const std::size_t guess = zero == one ? coins.below(2) : (one < zero ? 1 : 0);
    ours += guess == truth ? 1 : 0;
  }
  run.measured.push_back(measured("discreet: which of two diagnoses, all else known", ours,
                                  static_cast<std::uint64_t>(trials)));
  run.measured.back().chance = 0.5;
  run.measured.back().ours = true;
  run.measured.back().limit = guess_limit(Rational(2) * options.epsilon);
  conclude(run,
           "One person's visits change from one diagnosis to the other: a removal and an "
           "addition, 2 epsilon. From even odds the guess is right with probability at most "
           "e^(2 epsilon) / (1 + e^(2 epsilon)), whatever else the attacker knows. By contrast "
           "the coarser tables promise nothing.");
  return run;
}

}  // namespace discreet::audit
