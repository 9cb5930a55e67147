/** The program of the worker processes that check values against JSON Schemas. */
import { serveTasks } from "@tau/sys";
import { tasks } from "./tasks.ts";

await serveTasks(tasks);
