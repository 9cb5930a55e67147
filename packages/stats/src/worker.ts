/** The worker process that scans sessions: a first scan of gigabytes must hold up no page and no key. */
import { serveTasks } from "@tau/sys";

import { scanTasks } from "./scan-elsewhere.ts";

await serveTasks(scanTasks);
