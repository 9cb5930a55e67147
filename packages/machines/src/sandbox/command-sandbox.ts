/** A sandbox of any kind, as a session uses it. */
import type { ShellLauncher } from "@tau/sys";
import type { Denial } from "./denial.ts";
import type { SandboxLoopback } from "./network/loopback.ts";
import type { RefusedHost } from "./network/proxy.ts";
import type { SandboxProfile } from "./profile.ts";

/** A shell that does not start in a sandbox is a problem of the machine or of the settings, not of the command. */
export const sandboxHelp =
	"The sandbox is at fault: tau doctor tries it and says what helps; --sandbox off runs commands without one.";

export interface CommandSandbox extends ShellLauncher, AsyncDisposable {
	readonly profile: SandboxProfile;
	readonly isLandlock?: boolean;
	/** Whether it no longer protects what a new one would: the next command should have that. */
	readonly isOutdated?: boolean;
	/** Another one has taken its place. */
	retire?(): void;
	/** Whether 127.0.0.1 is not that of this machine, and can be connected to. */
	readonly hasOwnLoopback?: boolean;
	/** Undefined before the network has started, and where there is none. */
	readonly loopback?: SandboxLoopback | undefined;
	/** Connections that were refused since a time of `performance.now()`. */
	refusedSince(at: number): readonly RefusedHost[];
	/** What was planted for git to run later, outside, and disarmed since the last call. */
	disarmed(): Denial[];
}
