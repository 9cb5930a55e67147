/** `artifact://<id>`: the whole of an output that was too long to be shown. */
import { basename, dirname } from "node:path";
import { localMachine } from "@tau/sys";
import { oneLine } from "@tau/utils";
import type { ToolEnv } from "../tool/env.ts";
import { limits } from "./limits.ts";
import type { UrlHandler } from "./router.ts";

export const artifactUrls: UrlHandler = {
	form: "<id>",
	about: "the full text of a long output",
	async resolve(rest, env) {
		const id = rest.replace(/\/$/, "");
		if (!/^\d+$/.test(id)) {
			return {
				ok: false,
				reason: `An artifact is addressed by number: artifact://0, not ${oneLine(rest, limits.shownChars)}.`,
			};
		}
		const path = env.artifacts.find(id);
		if (path !== undefined) return { ok: true, path };
		const ids = await artifactIds(env);
		const known =
			ids.length === 0 ? "None exist yet." : `Available: ${ids.slice(-limits.listed).join(", ")}.`;
		return { ok: false, reason: `There is no artifact ${id}. ${known}` };
	},
};

/** Returns the session's artifact directory; undefined before the first one. Ids count from 0, with few gaps. */
export function artifactDirectory({ artifacts }: Pick<ToolEnv, "artifacts">): string | undefined {
	for (let id = 0; id < limits.listed; id++) {
		const match = artifacts.find(String(id));
		if (match !== undefined) return dirname(match);
	}
	return undefined;
}

async function artifactIds(env: Pick<ToolEnv, "artifacts">): Promise<string[]> {
	const directory = artifactDirectory(env);
	if (directory === undefined) return [];
	const entries = await localMachine().files.list(directory);
	const ids = entries.flatMap(
		({ name }) => /^(\d+)\..*\.(?:log|png|jpeg|webp|gif)$/.exec(basename(name))?.[1] ?? [],
	);
	return ids.toSorted((a, b) => Number(a) - Number(b));
}
