#!/usr/bin/env bash
# Which home page do browsers open? RAPPOR's own use: strings, a list of candidates, and a collector whom nobody
# trusts. Each browser pays once for its permanent bits and then answers every week from them.
#   examples/local/homepages.sh [FOLDER]   plots go to FOLDER (build/homepages)
set -euo pipefail
discreet=${DISCREET:-build/bin/discreet}
plots=${1:-build/homepages}
people=${PEOPLE:-200000}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir -p "$plots"

echo "$people browsers: three home pages are frequent, a few less so, and a third of all are anybody's guess."
awk -v n="$people" 'BEGIN {
  split("search.example news.example mail.example video.example shop.example wiki.example", site)
  split("0.25 0.15 0.10 0.07 0.05 0.03", share)
  for (i = 0; i < n; i++) {
    u = (i + 0.5) / n
    answer = sprintf("rare%d.example", (i * 7919) % 5000)
    for (s = 1; s <= 6; s++) { if (u < share[s]) { answer = site[s]; break } u -= share[s] }
    print answer
  }
}' >"$work/pages"

echo "The survey: 128 bits, 2 hash functions, 64 cohorts; permanent bits cost epsilon 4, once."
"$discreet" local survey --name "home page" --epsilon 4 --strings --out "$work/home.survey" >"$work/survey.json"
"$discreet" local report --survey "$work/home.survey" --simulate <"$work/pages" >"$work/reports"

# Candidates: what may be frequent, and 200 pages that nobody opens.
{
  printf '%s\n' search.example news.example mail.example video.example shop.example wiki.example
  seq -f 'absent%g.example' 200
} >"$work/candidates"
echo "The collector decodes against $(wc -l <"$work/candidates") candidates:"
"$discreet" local estimate --survey "$work/home.survey" --candidates "$work/candidates" --truth "$work/pages" \
  --plot "$plots/homepages.svg" "$work/reports" | head -9
echo "  ... (only what is marked significant stands out from 'nobody opens it')"

echo "One browser through three weeks: it pays once, and a new home page does not show."
for week in 1 2 3; do
  "$discreet" local survey --name "home page" --epsilon 4 --strings --round "$week" --out "$work/week.survey" >"$work/survey.json"
  "$discreet" local report --survey "$work/week.survey" --memory "$work/me" --answer "page$week.example" \
    ${first---lifetime-budget 5} >"$work/report"
  first=
done
"$discreet" local show "$work/me"
echo "The plot: $plots/homepages.svg"
