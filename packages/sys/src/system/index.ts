/** The entry point of what is known about the machine. */
export { loadableLibrary } from "./library.ts";
export { systemInfo, type SystemInfo } from "./info.ts";
