#!/usr/bin/env bash
# The medical survey with its plots: truth, estimate and interval; the error against n and against epsilon beside the
# theorem's curves, local and central.
#   examples/local/survey_plots.sh [FOLDER]   plots go to FOLDER (build/medical)
set -euo pipefail
discreet=${DISCREET:-build/bin/discreet}
plots=${1:-build/medical}
people=${PEOPLE:-1000000}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir -p "$plots"

echo "A yes/no question to $people people at epsilon 1; 3 in 10 have the illness."
"$discreet" local survey --name illness --epsilon 1 --labels no,yes --out "$work/illness.survey" >"$work/survey.json"
awk -v n="$people" 'BEGIN { for (i = 0; i < n; i++) print (i % 10 < 3) ? "yes" : "no" }' >"$work/truth"
"$discreet" local report --survey "$work/illness.survey" --simulate <"$work/truth" >"$work/reports"
"$discreet" local estimate --survey "$work/illness.survey" --truth "$work/truth" --shuffled-delta 1e-6 \
  --plot "$plots/share.svg" "$work/reports"

echo "The error against the number of people, beside the theorems' lines:"
"$discreet" local compare --epsilon 1 --people "$people" --plot "$plots/error_people.svg"
echo "... and against epsilon:"
"$discreet" local compare --epsilon 1 --people 100000 --vary epsilon --plot "$plots/error_epsilon.svg"

echo "Ages of 100,000 people in 24 bins at epsilon 2: a histogram and quantiles."
"$discreet" local survey --name age --epsilon 2 --low 0 --high 120 --bins 24 --out "$work/age.survey" >"$work/survey.json"
awk 'BEGIN { for (i = 0; i < 100000; i++) print 18 + (i * 37) % 60 + (i % 7) }' >"$work/ages"
"$discreet" local report --survey "$work/age.survey" --simulate <"$work/ages" >"$work/age_reports"
"$discreet" local estimate --survey "$work/age.survey" --quantiles 0.25,0.5,0.75 "$work/age_reports"
"$discreet" local estimate --survey "$work/age.survey" --plot "$plots/ages.svg" "$work/age_reports" >"$work/histogram"
echo "The plots: $plots/*.svg"
