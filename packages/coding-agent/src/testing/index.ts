/** Parts of the application for tests of other packages. */
export { provideApplication } from "../cli/launch/application.ts";
export { newKeys } from "../modes/interactive/keys.ts";
export { runRpc, type RpcSession, type RpcStreams } from "../modes/rpc/index.ts";
