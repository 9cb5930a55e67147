/** omp's small functions for what is around a program: its variables, its directories, its log and other programs. */
import { readFileSync } from "node:fs";
import { version, dirs, env, envNumber, log, parseDotenv } from "@tau/utils";

import { directoryExports } from "../support/directories.ts";

/** By any of the names that Tau reads: a variable of omp's is one of Tau's too. */
const variables = new Proxy<Record<string, string>>(
	{},
	{
		get: (_, name) => (typeof name === "string" ? env(name) : undefined),
		has: (_, name) => typeof name === "string" && env(name) !== undefined,
		ownKeys: () => Object.keys(process.env),
		getOwnPropertyDescriptor: (_, name) => {
			const value = typeof name === "string" ? env(name) : undefined;
			return value === undefined ? undefined : { value, enumerable: true, configurable: true };
		},
	},
);

function parseFlag(value: string | undefined, otherwise = false): boolean {
	if (value === undefined || value === "") return otherwise;
	return !/^(?:0|false|no|off)$/i.test(value);
}

function parseEnvFile(path: string): Record<string, string> {
	try {
		return { ...parseDotenv(readFileSync(path, "utf8")) };
	} catch {
		// A file that is not there says nothing.
		return {};
	}
}

const places = {
	APP_NAME: "tau",
	...directoryExports(),
	VERSION: version,
	getAppName: () => "tau",
	getLogsDir: () => dirs().logs,
	getProjectDir: () => process.cwd(),
};

/** What extensions get of it. */
export const surroundingExports = {
	...places,
	$env: variables,
	$pickenv: (...names: string[]) => names.map((name) => env(name)).find((value) => value),
	$envpos: (name: string, otherwise: number) => {
		const value = envNumber(name);
		return value !== undefined && value > 0 ? value : otherwise;
	},
	$flag: (name: string, otherwise?: boolean) => parseFlag(env(name), otherwise),
	parseFlag,
	parseEnvFile,
	isValidEnvName: (name: string) => /^[A-Za-z_]\w*$/.test(name),
	isBunTestRuntime: () => process.env.NODE_ENV === "test",
	isCompiledBinary: () => import.meta.dir.startsWith("/$bunfs"),
	logger: Object.assign(Object.create(log) as typeof log, {
		/** Runs it; durations are not recorded here. */
		time: (_name: string, work?: (...args: unknown[]) => unknown, ...args: unknown[]) => work?.(...args),
	}),
	$which: (name: string, options?: { PATH?: string; cwd?: string }) => Bun.which(name, options),
	whichFresh: (name: string, options?: { PATH?: string; cwd?: string }) => Bun.which(name, options),
	WhichCachePolicy: { Cached: 0, Bypass: 1, Fresh: 2, ReadOnly: 3 },
};
