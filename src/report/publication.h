// SPDX-License-Identifier: Apache-2.0
// Publications as words, pages and pictures.
#pragma once

#include <string>
#include <vector>

#include "publish/sheets.h"
#include "report/html.h"

namespace discreet::report {

/// What will be measured, at which price, and how far off every cell will be.
std::string design_text(const publish::Workload& workload, const publish::Foreseen& foreseen);

/// The page: prices, what is not protected, error bars, tiles, who is hidden by the noise, and what
/// whole numbers did to the values.
Exhibit publication_page(const publish::Workload& workload, const publish::Publication& publication,
                         const std::vector<publish::Sheet>& sheets);

}  // namespace discreet::report
