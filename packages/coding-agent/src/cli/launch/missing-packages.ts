/** The packages that settings name and that are not installed, unless the user has dismissed the notice. */
import { join } from "node:path";

import { dirs, envFlag } from "@tau/utils";
import { findPackages, readJson, textsIn } from "@tau/extensions/packages";
import { isTrusted } from "@tau/extensions/trust";

import type { Args } from "../args.ts";

export type MissingPackage = ReturnType<typeof findPackages>["missing"][number];

export function missingPackages({ flags }: Pick<Args, "flags">, cwd: string): MissingPackage[] {
	if (envFlag("TAU_OFFLINE")) return [];
	const { agent: agentDir, home } = dirs();
	const mayRun = flags.has("trust") || isTrusted(cwd, agentDir);
	const { missing } = findPackages({ cwd, home, agentDir, isTrusted: mayRun });
	if (missing.length === 0) return [];
	const declined = declinedPackages();
	return missing.filter(({ identity }) => !declined.includes(identity));
}

/** The packages that the user does not want to be asked about again. */
export function declinedPackages(): string[] {
	const file = readJson(declinedFile());
	return (file.ok ? textsIn(file.value, "packages") : undefined) ?? [];
}

export function declinedFile(): string {
	return join(dirs().state, "declined-packages.json");
}
