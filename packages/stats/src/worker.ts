/** The worker process that scans sessions: a first scan of gigabytes must hold up no page and no key. */
import { serveTasks } from "@tau/sys";

import { scanTasks } from "./scan-in-worker.ts";

await serveTasks(scanTasks);
