/** The program of the worker processes that parse documents, archives, images, pages and databases. */
import { serveTasks } from "../worker/index.ts";
import { tasks } from "./tasks.ts";

await serveTasks(tasks);
