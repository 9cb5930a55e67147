/** The registry of discovery providers: queries all at once, orders and deduplicates their results. */
import { abortable, log, withTimeout } from "@tau/utils";

import { limits } from "./limits.ts";
import type { DiscoveryPaths } from "../sources/discovery-paths.ts";
import type { Switches } from "./switches.ts";
import { nothing, type Capability, type Discovered, type Findings, type Warning } from "./types.ts";

export interface Provider<T extends Discovered> {
	/** The program whose files it knows. */
	readonly source: string;
	/** Of two items with the same key that of the higher one is used. */
	readonly priority: number;
	load(paths: DiscoveryPaths): Promise<Findings<T>>;
}

export interface Loaded<T extends Discovered> {
	/** In the order of their sources; of those with the same key only the first. */
	items: T[];
	shadowed: { item: T; by: T }[];
	/** Disabled items, with the setting's entry that disables each. */
	disabled: { item: T; by: string }[];
	warnings: Warning[];
}

export class DiscoveryRegistry {
	/** The key is the capability object, which determines the type of its items. */
	readonly #providers = new Map<unknown, Provider<Discovered>[]>();

	/** With the same providers; what is registered later is in one of the two. */
	copy(): DiscoveryRegistry {
		const copy = new DiscoveryRegistry();
		for (const [capability, providers] of this.#providers) copy.#providers.set(capability, [...providers]);
		return copy;
	}

	define<T extends Discovered>(capability: Capability<T>): void {
		if (this.#providers.has(capability)) throw new Error(`${capability.id} is already defined.`);
		this.#providers.set(capability, []);
	}

	/** Until it is disposed of. */
	register<T extends Discovered>(capability: Capability<T>, provider: Provider<T>): Disposable {
		const providers = this.#of(capability);
		providers.push(provider);
		return {
			[Symbol.dispose]: () => {
				const at = providers.indexOf(provider);
				if (at >= 0) providers.splice(at, 1);
			},
		};
	}

	async load<T extends Discovered>(
		capability: Capability<T>,
		paths: DiscoveryPaths,
		switches: Switches,
	): Promise<Loaded<T>> {
		const ordered = this.#of(capability).toSorted((a, b) => b.priority - a.priority);
		using deadline = withTimeout(undefined, limits.sourceMs, "it timed out");
		const { signal } = deadline;
		const findings = await Promise.all(ordered.map((provider) => findingsOf(provider, paths, signal)));
		return weeded(capability, findings, switches);
	}

	/** Only `register` with the same capability puts providers there. */
	#of<T extends Discovered>(capability: Capability<T>): Provider<T>[] {
		const providers = this.#providers.get(capability);
		if (!providers) throw new Error(`${capability.id} is not defined.`);
		return providers as Provider<T>[];
	}
}

/** One that fails or does not answer costs only what it would have found. */
async function findingsOf<T extends Discovered>(
	provider: Provider<T>,
	paths: DiscoveryPaths,
	signal: AbortSignal,
): Promise<Findings<T>> {
	try {
		return await abortable(provider.load(paths), signal);
	} catch (error) {
		const message = error instanceof Error ? error.message : String(error);
		log.warn("discovery failed", { source: provider.source, reason: message });
		return {
			...nothing<T>(),
			warnings: [{ path: provider.source, message: `was not searched: ${message}`, isLeftOut: true }],
		};
	}
}

function weeded<T extends Discovered>(
	{ id, key }: Capability<T>,
	findingses: readonly Findings<T>[],
	switches: Switches,
): Loaded<T> {
	const loaded: Loaded<T> = {
		items: [],
		shadowed: [],
		disabled: [],
		warnings: findingses.flatMap(({ warnings }) => warnings),
	};
	const first = new Map<string, T>();
	for (const item of findingses.flatMap(({ items }) => items)) {
		const name = key(item);
		const off = switches.disables(id, item.origin.source, name);
		const before = name === undefined ? undefined : first.get(name);
		if (off !== undefined) loaded.disabled.push({ item, by: off });
		else if (before) loaded.shadowed.push({ item, by: before });
		else {
			if (name !== undefined) first.set(name, item);
			loaded.items.push(item);
		}
	}
	return loaded;
}
