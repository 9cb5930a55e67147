/** Everything that serves the commands of a client, loaded when the first one comes. */
export { isComponentCommand, type ClientComponents } from "./component-handlers.ts";
export { handle } from "./handlers.ts";
export { handleRequest, isRequestCommand } from "./request-handlers.ts";
export { SlashCommandRuns } from "./slash-commands.ts";
