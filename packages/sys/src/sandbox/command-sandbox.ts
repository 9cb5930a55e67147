/** A sandbox of any kind, as a session uses it. */
import type { ShellLauncher } from "../shell/index.ts";
import type { Denial } from "./denial.ts";
import type { RefusedHost } from "./network/proxy.ts";
import type { SandboxProfile } from "./profile.ts";

export interface CommandSandbox extends ShellLauncher, AsyncDisposable {
	readonly profile: SandboxProfile;
	readonly isLandlock?: boolean;
	/** Connections that were refused since a time of `performance.now()`. */
	refusedSince(at: number): readonly RefusedHost[];
	/** What was planted for git to run later, outside, and disarmed since the last call. */
	disarmed(): Denial[];
}
