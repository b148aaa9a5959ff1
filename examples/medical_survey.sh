#!/usr/bin/env bash
# The medical survey of the lecture: a million people, a yes/no question that nobody likes to answer, and a
# collector whom nobody trusts. Each answer is randomized before it leaves its person; the share is still found.
set -euo pipefail
discreet=${DISCREET:-build/bin/discreet}
people=1000000
epsilon=1
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

echo "$people people hold a secret bit; 3 in 10 have the illness."
awk -v n="$people" 'BEGIN { for (i = 0; i < n; i++) print (i % 10 < 3) ? "yes" : "no" }' >"$work/secret"

echo "Each randomizes the answer at home:  discreet local respond --epsilon $epsilon"
"$discreet" local respond --epsilon "$epsilon" <"$work/secret" >"$work/replies"
echo "  the first five secrets:  $(head -n 5 "$work/secret" | tr '\n' ' ')"
echo "  and what they replied:   $(head -n 5 "$work/replies" | tr '\n' ' ')"

echo "The collector sees the replies only:  discreet local estimate --epsilon $epsilon"
"$discreet" local estimate --epsilon "$epsilon" <"$work/replies" | sed 's/^/  /'
echo "  truth       0.3"
