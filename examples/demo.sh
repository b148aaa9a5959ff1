#!/usr/bin/env bash
# What `./dev demo` shows: a clinic's data, a policy, questions in SQL, and a budget that goes down until it is gone.
# $DISCREET is the program, $CLINIC_DATA the program that makes the data.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
DISCREET=${DISCREET:-$PWD/build/bin/discreet}
CLINIC_DATA=${CLINIC_DATA:-$PWD/build/bin/clinic_data}
policy=$PWD/examples/clinic/policy.yaml

# A new world for each run: its ledger, its key and its witness are thrown away with it.
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export XDG_STATE_HOME=$work/state

title() { printf '\n\033[1m%s\033[0m\n' "$*"; }
show() { # show WORD..: a command and what it prints
  printf '$ discreet'
  local word
  for word; do
    case $word in
      *[\ \*\(\)\'\<\>]*) printf ' "%s"' "$word" ;;
      *) printf ' %s' "$word" ;;
    esac
  done
  printf '\n'
  "$DISCREET" "$@"
}

title "1. The data: 100,000 patients, a million visits, 300,000 lab values (all invented)"
"$CLINIC_DATA" "$work"
cp "$policy" "$work/"
cd "$work"
du -k --apparent-size ./*.parquet ./*.csv | awk '{print "  " $1 "K  " $2}'

title "2. A policy: drafted from the schema alone, then filled in by the owner"
show policy init visits.parquet | head -24
echo "  ..."
show policy check

title "3. A budget for life"
show ledger init --policy policy.yaml

title "4. Five questions by the analyst ann"
show query "SELECT COUNT(*) AS diabetes_visits FROM visits WHERE diagnosis = 'diabetes' AND age >= 40" --epsilon 0.2 --analyst ann
echo
show query "SELECT AVG(cost) AS mean_cost FROM visits" --epsilon 0.3 --analyst ann
echo
show query "SELECT MEDIAN(age) AS median_age FROM visits" --epsilon 0.3 --analyst ann
echo
show query "SELECT HISTOGRAM(age, bins => 10) FROM patients" --epsilon 0.3 --analyst ann
echo
show query "SELECT clinic, BOXPLOT(cost) FROM visits GROUP BY clinic" --epsilon 0.8 --analyst ann

title "5. What is left"
show budget --analyst ann

title "6. The same question again is free; one too many is refused"
show query "SELECT AVG(cost) AS mean_cost FROM visits" --epsilon 0.3 --analyst ann
echo
show query "SELECT COUNT(*) AS visits FROM visits" --epsilon 0.5 --analyst ann && exit 1
echo "(exit status $?: the budget)"

title "7. The history can be checked by anybody"
show ledger verify
