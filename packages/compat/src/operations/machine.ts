/** A machine made from pi's `operations`, so that the built-in tools themselves work through them. */
import type { Machine } from "@tau/sys";

import { operationFiles } from "./files.ts";
import type { AnyOperations } from "./operations.ts";
import { operationShell, type CommandChanges } from "./shell.ts";

export function operationsMachine(operations: AnyOperations, changes: CommandChanges = {}): Machine {
	return {
		where: { kind: "client", label: "the extension's machine" },
		files: operationFiles(operations),
		shell: operationShell(operations, changes),
	};
}
