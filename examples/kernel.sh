#!/usr/bin/env bash
# The ground under the demonstration: a survey, noise on a number, a private choice, and the proof that the code keeps its
# promises. $DISCREET is the program.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
export DISCREET=${DISCREET:-$PWD/build/bin/discreet}

title() { printf '\n\033[1m%s\033[0m\n' "$*"; }
show() { # show WORD..: a command and what it prints
  printf '$ discreet %s\n' "$*"
  "$DISCREET" "$@"
}

title "1. A survey in which nobody is trusted"
examples/medical_survey.sh

title "2. Noise on a number: a count of 42 patients"
echo "One patient more or less changes the odds of any answer by at most e^(1/2)."
show noise laplace --value 42 --sensitivity 1 --epsilon 1/2
echo
echo "Five draws show how much it moves (and cost five times as much):"
show noise laplace --value 42 --sensitivity 1 --epsilon 1/2 --count 5

title "3. A private choice: the most frequent diagnosis"
scores=('asthma,1042' 'diabetes,987' 'gout,310' 'measles,12')
printf '  %s\n' "${scores[@]}"
echo "\$ discreet choose --epsilon 1/10 --sensitivity 1"
printf '%s\n' "${scores[@]}" | "$DISCREET" choose --epsilon 1/10 --sensitivity 1

title "4. Does the code keep its promises? All coin tapes, walked on two neighbours"
echo "Measured is a certified bracket, without samples or p-values: if its low end exceeds the claim, the claim is false."
show audit exact

title "5. Would we notice if it did not? Planted faults, each caught by the same comparison"
show audit exact --mutants
