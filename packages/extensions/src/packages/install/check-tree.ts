/** Checks all files of a downloaded package: nothing may lead out of it, and its size is limited. */
import { lstatSync, readdirSync } from "node:fs";
import { join, relative } from "node:path";

import { isInside, realOf } from "@tau/resources/discovery";
import { limits } from "../limits.ts";
import { PackageError } from "../problem.ts";

export function checkTree(name: string, root: string): void {
	const real = realOf(root) ?? root;
	let [entries, bytes] = [0, 0];
	const visit = (directory: string): void => {
		for (const entry of readdirSync(directory, { withFileTypes: true })) {
			const path = join(directory, entry.name);
			const shown = relative(root, path);
			if (entry.isSymbolicLink()) {
				const target = realOf(path);
				if (target === undefined || !isInside(target, real))
					throw new PackageError(`${name} was rejected: ${shown} is a link that points outside it.`);
			} else if (entry.isDirectory()) visit(path);
			else if (entry.isFile()) bytes += lstatSync(path).size;
			else throw new PackageError(`${name} was rejected: ${shown} is neither a file nor a directory.`);
			if (++entries > limits.unpackedEntries)
				throw new PackageError(`${name} was rejected: it has more than ${limits.unpackedEntries} files.`);
			if (bytes > limits.unpackedBytes)
				throw new PackageError(`${name} was rejected: it is larger than ${limits.unpackedBytes} bytes.`);
		}
	};
	visit(root);
}
