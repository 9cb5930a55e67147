/** The result of `pi.getSetting("plugins.<package>.<setting>")`: the current value for this directory. */
import type { Env } from "@tau/utils";

import { findPackages, type FindRequest } from "./find.ts";
import { projectHome, userHome } from "./homes.ts";
import { readManifest } from "./manifest.ts";
import { noOverrides, readOverrides } from "./overrides.ts";
import type { SettingValue } from "./setting-schema.ts";
import { settingRows } from "./settings.ts";
import { emptyState, readState } from "./state.ts";

export const packageSettingPrefix = "plugins.";

/** Undefined if there is no such package or setting, or if its value is invalid. */
export function packageSetting(path: string, env: Env, request: FindRequest): SettingValue | undefined {
	const dot = path.lastIndexOf(".");
	const [name, key] = [path.slice(packageSettingPrefix.length, dot), path.slice(dot + 1)];
	const one = findPackages(request).packages.find(
		(installedPackage) => installedPackage.name === name && installedPackage.off === undefined,
	);
	const read = one && readManifest(one.root);
	if (!one || !read?.ok) return undefined;
	const { directory } = one.scope === "project" ? projectHome(request.cwd) : userHome(request.agentDir);
	const kept = readState(directory);
	const rows = settingRows({
		name,
		manifest: read.manifest,
		state: kept.ok ? kept.state : emptyState,
		overrides: request.isTrusted ? readOverrides(request.cwd) : noOverrides,
		env,
	});
	const row = rows.find((setting) => setting.key === key);
	return row?.problem === undefined ? row?.value : undefined;
}
