// SPDX-License-Identifier: Apache-2.0
#include <fcntl.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>
#include <unistd.h>

#include <string>

#include "base/json.h"
#include "report/number.h"
#include "report/progress.h"
#include "report/table.h"

namespace discreet::report::report_test {
namespace {

Rational parse(const char* text) { return Rational::parse(text).value(); }

TEST(Fixed, RoundsTheWayItIsTold) {
  struct Case {
    const char* x;
    int decimals;
    Toward toward;
    const char* text;
  };
  const Case cases[] = {
      {"2/3", 2, Toward::kNearest, "0.67"},   {"2/3", 2, Toward::kDown, "0.66"},
      {"2/3", 2, Toward::kUp, "0.67"},        {"-2/3", 2, Toward::kDown, "-0.67"},
      {"-2/3", 2, Toward::kUp, "-0.66"},      {"-1/1000", 2, Toward::kUp, "0.00"},
      {"0", 3, Toward::kNearest, "0.000"},    {"42", 0, Toward::kNearest, "42"},
      {"999.9", 0, Toward::kNearest, "1000"}, {"0.05", 1, Toward::kNearest, "0.1"},
  };
  for (const Case& c : cases) EXPECT_EQ(fixed(parse(c.x), c.decimals, c.toward), c.text) << c.x;
}

RC_GTEST_PROP(FixedLaws, IsOnTheNamedSideAndWithinOneUnitOfTheLastPlace,
              (std::int64_t n, std::uint32_t d)) {
  const Rational x = Rational::ratio(Integer(static_cast<long>(n)), Integer(d) + 1);
  const int decimals = *rc::gen::inRange(0, 12);
  const Rational unit = Rational(1) / parse(("1e" + std::to_string(decimals)).c_str());
  const Rational down = parse(fixed(x, decimals, Toward::kDown).c_str());
  const Rational up = parse(fixed(x, decimals, Toward::kUp).c_str());
  RC_ASSERT(down <= x && x <= up && up - down <= unit);
}

TEST(Approximate, ShowsTheAskedDigits) {
  EXPECT_EQ(approximate(parse("1234.56"), 3), "1235");
  EXPECT_EQ(approximate(parse("0.012345"), 3), "0.0123");
  EXPECT_EQ(approximate(parse("1.9190"), 3), "1.92");
  EXPECT_EQ(approximate(parse("0"), 3), "0");
  EXPECT_EQ(approximate(parse("1e-30"), 1), "0." + std::string(29, '0') + "1");
  EXPECT_EQ(approximate(parse("100"), 3), "100");
  EXPECT_EQ(approximate(parse("99"), 3), "99.0");
}

Table sample() {
  Table table({"name", "value"});
  table.add({Cell::words("a"), Cell::number("10")});
  table.add({Cell::words("µµ"), Cell::number("1/3")});
  return table;
}

TEST(Table, AlignsByCharactersNotBytes) {
  EXPECT_EQ(sample().render(Format::kTable),
            "name  value\n"
            "----  -----\n"
            "a        10\n"
            "µµ      1/3\n");
}

TEST(Table, WritesCsvJsonAndMarkdown) {
  EXPECT_EQ(sample().render(Format::kCsv), "name,value\na,10\nµµ,1/3\n");
  EXPECT_EQ(sample().render(Format::kMarkdown),
            "| name | value |\n|---|---|\n| a | 10 |\n| µµ | 1/3 |\n");
  EXPECT_EQ(
      sample().render(Format::kJson),
      "[\n  {\"name\": \"a\", \"value\": 10},\n  {\"name\": \"µµ\", \"value\": \"1/3\"}\n]\n");
  EXPECT_EQ(Table({"a"}).render(Format::kJson), "[]\n");
}

TEST(Table, KeepsHostileTextHarmless) {
  Table table({"name"});
  table.add({Cell::words("a\033[2J|\"b\",\nc")});
  EXPECT_EQ(table.render(Format::kTable).find('\033'), std::string::npos);
  EXPECT_EQ(table.render(Format::kMarkdown).find('\033'), std::string::npos);
  EXPECT_EQ(table.render(Format::kCsv), "name\n\"a\033[2J|\"\"b\"\",\nc\"\n");
  const auto json = Json::parse(table.render(Format::kJson)).value();
  EXPECT_EQ(json[0]["name"], "a\033[2J|\"b\",\nc");
}

RC_GTEST_PROP(SheetLaws, IsValidJsonWhateverTheBytes,
              (const std::string& name, const std::string& text, bool number)) {
  Sheet sheet;
  sheet.field(name, number ? Cell::number(text) : Cell::words(text));
  RC_ASSERT(Json::parse(sheet.render(Format::kJson)).value().is_object());
}

TEST(Sheet, ShowsLinesToPeopleAndFieldsToPrograms) {
  Sheet sheet;
  sheet.line("answer", "43").line("price", "epsilon 1");
  sheet.field("answer", Cell::number("43")).field("epsilon", Cell::words("1"));
  EXPECT_EQ(sheet.render(Format::kTable), "answer  43\nprice   epsilon 1\n");
  EXPECT_EQ(sheet.render(Format::kJson), "{\"answer\": 43, \"epsilon\": \"1\"}\n");
  EXPECT_EQ(sheet.render(Format::kCsv), "answer,epsilon\n43,1\n");
}

TEST(Format, UnknownOneNamesTheKnownOnes) {
  EXPECT_EQ(parse_format("json").value(), Format::kJson);
  EXPECT_EQ(parse_format("xml").error().message,
            "format must be table, csv, json or markdown; got 'xml'");
}

TEST(Progress, IsSilentWhereThereIsNoTerminal) {
  int ends[2];
  ASSERT_EQ(pipe(ends), 0);
  {
    Progress progress(ends[1], "work");
    progress.show(1, 2);
  }
  close(ends[1]);
  char c = 0;
  EXPECT_EQ(read(ends[0], &c, 1), 0);
  close(ends[0]);
  EXPECT_EQ(progress_line(40, "work"), "[########------------]  40 %  work");
  EXPECT_EQ(progress_line(100, "work"), "[####################] 100 %  work");
}

}  // namespace
}  // namespace discreet::report::report_test
