/** The public interface of processes. */
export { childSocket } from "./child-socket.ts";
export {
	childrenOf,
	environmentsIn,
	isAlive,
	listProcesses,
	nameProcess,
	processesAreListed,
	readActivity,
	residentBytes,
	startEnvironment,
	ticksSinceBoot,
} from "./table.ts";
export { killFamily, killFamilyNow, killTree, listDescendants, type Leader } from "./tree.ts";
