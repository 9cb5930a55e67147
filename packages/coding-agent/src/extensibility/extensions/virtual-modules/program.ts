/** What the modules for extensions need of the program around them; it tells them, because an import would go in a circle. */
import type { Extensions, LoadRequest } from "../extensions.ts";

type Load = (request: LoadRequest) => Promise<Extensions>;
type Door = () => Promise<Readonly<Record<string, unknown>>>;

let load: Load | undefined;
let door: Door | undefined;

/** By the one that loads extensions, before it loads any. */
export function useLoader(loader: Load): void {
	load = loader;
}

/** By the command line: what `import "@tau/coding-agent"` gives where there is no such package on disk. */
export function useDoor(own: Door): void {
	door = own;
}

export function loadWith(request: LoadRequest): Promise<Extensions> {
	if (!load) throw new Error("Nothing has been told how to load extensions.");
	return load(request);
}

/** Nothing where the program has not told. */
export async function ownDoor(): Promise<Readonly<Record<string, unknown>> | undefined> {
	return door?.();
}
