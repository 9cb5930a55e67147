/** The program of the worker processes that parse code. */
import { serveTasks } from "@tau/sys";
import { tasks } from "./tasks.ts";

await serveTasks(tasks);
