/** What custom tools need of the program that loads them. */
import type { ToolEnv } from "@tau/tools/tool";

import type { VirtualModules } from "../support/virtual-modules.ts";
import type { ExtensionUI } from "../ui/types.ts";

export interface ToolHost {
	readonly cwd: string;
	/** The directory for cached files that may be deleted at any time. */
	readonly cacheDir: string;
	/** Where the tools of the current session work; nothing before there is one. */
	env(): ToolEnv | undefined;
	ui(): ExtensionUI;
	hasUI(): boolean;
	/** True where the user has allowed every call, so that nothing is asked about. */
	isUnasked(): boolean;
	/** The packages of pi and omp that tools may import. */
	readonly modules?: VirtualModules | undefined;
}
