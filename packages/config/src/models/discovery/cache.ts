/** Caches model lists on disk, one small file per server. An unreadable or unwritable file counts as missing. */
import { mkdir, rename, rm } from "node:fs/promises";
import { join } from "node:path";
import { z } from "zod";

import type { ModelFacts } from "./facts.ts";
import type { DiscoveryTarget } from "./target.ts";

export interface CachedList {
	/** The time of the request. */
	at: number;
	models: ModelFacts[];
}

const price = z.number().nonnegative();
const list = z.object({
	at: z.number(),
	models: z.array(
		z.object({
			id: z.string().min(1),
			name: z.string().exactOptional(),
			contextWindow: z.number().positive().exactOptional(),
			maxTokens: z.number().positive().exactOptional(),
			reasoning: z.boolean().exactOptional(),
			images: z.boolean().exactOptional(),
			cost: z.object({ input: price, output: price, cacheRead: price, cacheWrite: price }).exactOptional(),
		}),
	),
});

export class DiscoveryCache {
	readonly #directory: string;

	constructor(directory: string) {
		this.#directory = join(directory, "models");
	}

	async read(target: DiscoveryTarget): Promise<CachedList | undefined> {
		try {
			const parsed = list.safeParse(await Bun.file(this.#path(target)).json());
			return parsed.success ? parsed.data : undefined;
		} catch {
			// The file is missing or was truncated by a full disk: the server is queried again.
			return undefined;
		}
	}

	async write(target: DiscoveryTarget, cached: CachedList): Promise<void> {
		const path = this.#path(target);
		const draft = `${path}.${process.pid}.tmp`;
		try {
			await mkdir(this.#directory, { recursive: true });
			await Bun.write(draft, JSON.stringify(cached));
			await rename(draft, path);
		} catch {
			// A cache that cannot be written costs one more request next time.
			await rm(draft, { force: true }).catch(() => undefined);
		}
	}

	async forget(target: DiscoveryTarget): Promise<void> {
		await rm(this.#path(target), { force: true }).catch(() => undefined);
	}

	/** Another address or key may have other models, so both are hashed into the name; neither is readable in it. */
	#path({ provider, baseUrl, type, apiKey = "" }: DiscoveryTarget): string {
		const hash = Bun.hash(JSON.stringify([provider, baseUrl, type, apiKey])).toString(36);
		return join(this.#directory, `${provider.replace(/[^\w.-]/g, "_")}-${hash}.json`);
	}
}
