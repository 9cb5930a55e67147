/** Parts of the application for tests of other packages. */
export { provideApplication } from "../cli/launch/application.ts";
export { LocalClient } from "../clients/local-client.ts";
export { handle, handleRequest, isRequestCommand, SlashCommandRuns } from "../modes/rpc/serve.ts";
export { runRpc, type RpcSession, type RpcStreams } from "../modes/rpc/index.ts";
export { LocalTail } from "../clients/local-view.ts";
