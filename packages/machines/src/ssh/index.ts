/** The entry point `@tau/machines/ssh`: other machines through the user's own OpenSSH. */
export type { AskUser, SshQuestion } from "./askpass.ts";
export { ConnectionLost } from "./channel.ts";
export { SshConnection, type ConnectionOptions, type ConnectionState } from "./connection.ts";
export { namedDestination, parseAddress, type SshAddress, type SshDestination } from "./destination.ts";
export { configuredHosts, type ConfiguredHosts, type HostSources } from "./hosts.ts";
export { openSshMachine, sshMachine, type SshMachine } from "./machine.ts";
