/** What extensions describe parameters with: TypeBox and zod. Both are loaded before the first extension that is not part of Tau. */
import type * as Zod from "zod";

import type { checkValue } from "../typebox/index.ts";

export interface SchemaLibraries {
	/** What `import "typebox"` gives. */
	typebox: Readonly<Record<string, unknown>>;
	zod: typeof Zod;
}

interface Loaded {
	libraries: SchemaLibraries;
	checkValue: typeof checkValue;
}

let loaded: Loaded | undefined;

export async function loadSchemaLibraries(): Promise<SchemaLibraries> {
	if (!loaded) {
		const [typebox, zod, own] = await Promise.all([
			import("typebox-v1"),
			import("zod"),
			import("../typebox/index.ts"),
		]);
		loaded = { libraries: { typebox, zod }, checkValue: own.checkValue };
	}
	return loaded.libraries;
}

/** For extensions that ship with Tau: they use neither, and most runs have no others. */
export const noSchemaLibraries: SchemaLibraries = { typebox: {}, zod: {} as typeof Zod };

/** For the check of a call, which cannot wait. The tool was registered by an extension, so TypeBox has been loaded. */
export function loadedCheck(): typeof checkValue {
	if (!loaded) throw new Error("TypeBox is not loaded.");
	return loaded.checkValue;
}
