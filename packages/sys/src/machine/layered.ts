/** Puts a layer on the files of a machine, also on those for paths without links. */
import type { MachineFiles } from "./machine.ts";

export function layered(
	files: MachineFiles,
	layer: (files: MachineFiles) => Partial<MachineFiles>,
): MachineFiles {
	return { ...files, ...layer(files), unlinked: () => layered(files.unlinked(), layer) };
}
