/** Everything that was found of Tau and of other programs for a directory, for `tau doctor` and `/debug`. */
import { dirs, type Env } from "@tau/utils";
import { packagedExtensions } from "@tau/extensions/packages";
import {
	eachCapability,
	registerExtensions,
	registerHookSettings,
	standardRegistry,
	survey,
	withoutUntrustedHooks,
	type SurveySection,
} from "@tau/extensions/resources";
import { discoveryPaths, sources } from "@tau/resources/sources";
import { Switches } from "@tau/resources/discovery";
import type { Settings } from "@tau/config/settings";

import { shippedExtensions } from "@tau/bundled";

export interface Discovered {
	cwd: string;
	root: string;
	trusted: boolean;
	sections: SurveySection[];
	/** Entries of `discovery.disabled` that mean nothing. */
	unknown: string[];
	ms: number;
}

export async function discovered(
	at: string,
	env: Env,
	settings: Pick<Settings, "get" | "explain">,
	trusted: boolean,
): Promise<Discovered> {
	const paths = discoveryPaths(at, env, { isTrusted: trusted });
	const { cwd, root, home } = paths;
	const { agent: agentDir } = dirs();
	const switches = new Switches(settings.get("discovery.disabled"));
	const registry = standardRegistry();
	registerExtensions(registry, {
		cwd,
		home,
		agentDir,
		explicit: [],
		configured: settings.get("extensions"),
		disabled: settings.get("disabledExtensions"),
		withDiscovery: true,
		isTrusted: trusted,
		packaged: (mayRun) => packagedExtensions({ cwd, home, agentDir, isTrusted: mayRun }, switches),
		shipped: shippedExtensions({ mode: "tui", mayHavePast: true, wantsExtensions: true }),
	});
	registerHookSettings(registry, settings);
	const started = performance.now();
	const surveySections = await survey(registry, paths, switches);
	const sections = trusted ? surveySections : surveySections.map(withoutUntrustedHooks);
	const unknown = switches.unknown(
		["packages", ...sources.map(({ id }) => id)],
		[...eachCapability(({ id }) => id), "settings", "models"],
	);
	return { cwd, root, trusted, sections, unknown, ms: performance.now() - started };
}
