/** The door of what is known about the machine. */
export { systemInfo, type SystemInfo } from "./info.ts";
