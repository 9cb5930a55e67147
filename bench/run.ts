/** Runs all benchmarks, prints them, and fails when one is over its budget. */
import { isOver, report } from "./report.ts";
import { startUp } from "./start-up.ts";

const rows = await startUp();
process.stdout.write(report("Start-up", rows));
process.exitCode = rows.some(isOver) ? 1 : 0;
