/** The directories that extensions, hooks and tools of a run are looked for in, in their order. */
import { join } from "node:path";

import type { SourceInfo } from "../api/source-info.ts";

export interface ExtensionDirectory {
	directory: string;
	scope: SourceInfo["scope"];
	source: string;
	/** Its content: of two with the same name in directories for the same content, one is used. */
	holds: string;
}

export interface DirectoryRequest {
	cwd: string;
	home: string;
	agentDir: string;
}

type Base = Pick<ExtensionDirectory, "scope" | "source"> & { at: string };

/** Tau's own directories come before those of omp and pi, and a project's before the user's. */
function basesOf({ cwd, home, agentDir }: DirectoryRequest): Base[] {
	return [
		{ at: join(cwd, ".tau"), scope: "project", source: "tau" },
		{ at: agentDir, scope: "user", source: "tau" },
		{ at: join(cwd, ".omp"), scope: "project", source: "omp" },
		{ at: join(home, ".omp/agent"), scope: "user", source: "omp" },
		{ at: join(cwd, ".pi"), scope: "project", source: "pi" },
		{ at: join(home, ".pi/agent"), scope: "user", source: "pi" },
	];
}

/** Hooks that are modules are extensions by an older name. */
export function extensionDirectories(request: DirectoryRequest): ExtensionDirectory[] {
	const bases = basesOf(request);
	return ["extensions", "hooks", "hooks/pre", "hooks/post"].flatMap((holds) =>
		bases.map((base) => placeIn(base, holds)),
	);
}

export function toolDirectories(request: DirectoryRequest): ExtensionDirectory[] {
	const { cwd, home } = request;
	const others = ["claude", "codex"].flatMap((source): Base[] => [
		{ at: join(cwd, `.${source}`), scope: "project", source },
		{ at: join(home, `.${source}`), scope: "user", source },
	]);
	return [...basesOf(request), ...others].map((base) => placeIn(base, "tools"));
}

function placeIn({ at, scope, source }: Base, holds: string): ExtensionDirectory {
	return { directory: join(at, holds), scope, source, holds };
}
