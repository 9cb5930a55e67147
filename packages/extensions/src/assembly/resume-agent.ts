/** Agents are continued from here: a module of its own, because every start imports the rest of their entry point. */
export { resumeAgent } from "@tau/tools/task";
