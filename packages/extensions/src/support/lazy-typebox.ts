/** TypeBox and the check of arguments with it. They are loaded before the first extension that is not part of Tau. */
import type { checkValue } from "../typebox/index.ts";

export interface LoadedTypebox {
	/** What `import "typebox"` gives. */
	exports: Readonly<Record<string, unknown>>;
	checkValue: typeof checkValue;
}

let loaded: LoadedTypebox | undefined;

export async function loadTypebox(): Promise<LoadedTypebox> {
	if (!loaded) {
		const [exports, own] = await Promise.all([import("typebox-v1"), import("../typebox/index.ts")]);
		loaded = { exports, checkValue: own.checkValue };
	}
	return loaded;
}

/** For the check of a call, which cannot wait. The tool was registered by an extension, so TypeBox has been loaded. */
export function loadedTypebox(): LoadedTypebox {
	if (!loaded) throw new Error("TypeBox is not loaded.");
	return loaded;
}
