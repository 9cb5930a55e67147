/** The door of processes. */
export { listProcesses, nameProcess, startEnvironment, ticksSinceBoot } from "./table.ts";
export { killFamily, killFamilyNow, killTree, listDescendants, type Leader } from "./tree.ts";
