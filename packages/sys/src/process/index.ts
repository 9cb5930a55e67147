/** The public interface of processes. */
export { childSocket } from "./child-socket.ts";
export {
	environmentsIn,
	isAlive,
	listProcesses,
	nameProcess,
	processesAreListed,
	readActivity,
	residentBytes,
	startEnvironment,
	ticksSinceBoot,
	type ProcessEntry,
} from "./table.ts";
export { killFamily, killFamilyNow, killTree, listDescendants, type Leader } from "./tree.ts";
