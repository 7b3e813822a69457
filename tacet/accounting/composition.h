#pragma once

#include "tacet/accounting/accountant.h"
