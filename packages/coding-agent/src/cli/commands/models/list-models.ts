/** `tau --list-models [search]`: every model with its size, its price, and what is missing to use it. */
import { dirs, loadDotenv } from "@tau/utils";
import { storedLogins } from "@tau/config/models";
import { discover, DiscoveryCache, discoveryTargets } from "@tau/config/models/discovery";
import { processOutput } from "../../../modes/output.ts";
import type { Args } from "../../args.ts";
import { openCredentials } from "../auth/store.ts";
import { printError } from "../../print-error.ts";
import { exitCodes } from "../../exit-codes.ts";
import { loadRegistry } from "../../launch/load-models.ts";
import { openSettings } from "../../launch/load-settings.ts";
import { openExtensions } from "../../launch/open-extensions.ts";
import { jsonLines, modelTable, rowsOf } from "./model-table.ts";
import { useProjectEnv } from "../../project-env.ts";

export async function listModels(args: Args): Promise<number> {
	loadDotenv();
	const settings = await openSettings(args);
	using store = await openCredentials(settings);
	const logins = storedLogins(store);
	const registry = await loadRegistry(args, process.env, settings, logins);
	const cwd = process.cwd();
	const extensions = args.extensions ?? (await openExtensions({ args, cwd, settings, onNotice: printError }));
	extensions?.provide(registry);
	await useProjectEnv({ args, cwd, holders: registry.keyHolders(), onNotice: printError });
	await registry.listed();
	const servers = discover(discoveryTargets(registry, process.env), new DiscoveryCache(dirs().cache));
	registry.add(...(await servers.current()).flatMap(({ models }) => models));
	const rows = rowsOf(registry, args.flags.get("list-models") ?? "");
	const out = processOutput(process.stdout, () => {});
	const { isTTY, columns } = process.stdout;
	const width = isTTY ? columns : Number.POSITIVE_INFINITY;
	const text = args.flags.get("mode") === "json" ? jsonLines(rows) : modelTable(rows, registry, width);
	await out.write(text);
	const problem = await out.settled();
	if (!problem) return exitCodes.answered;
	printError(`cannot write the list: ${problem.message}`);
	return exitCodes.failed;
}
