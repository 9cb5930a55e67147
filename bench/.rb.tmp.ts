import { interactive } from "./tui.ts";
import { report } from "./report.ts";
process.stdout.write(report("Interactive", await interactive()));
