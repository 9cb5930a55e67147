/** The public interface of processes. */
export { killAdopted } from "./adopted.ts";
export { childSocket } from "./child-socket.ts";
export {
	childrenOf,
	countFilters,
	isAlive,
	listProcesses,
	nameProcess,
	numberInside,
	processesAreListed,
	processesIn,
	readActivity,
	readProcess,
	residentBytes,
	startEnvironment,
	ticksSinceBoot,
	type InsideProcess,
	type ProcessEntry,
} from "./table.ts";
export { killFamily, killFamilyNow, killTree, listDescendants, type Leader } from "./tree.ts";
