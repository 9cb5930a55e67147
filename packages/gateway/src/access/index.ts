/** Who may reach a server of this package: its token, its address, its names. */
export { gatewayBind, isLoopback, isOwnHost, listenAt, localUrl, parseBind, type Bind } from "./bind.ts";
export {
	bearerOf,
	currentToken,
	ensureToken,
	isToken,
	readToken,
	tokenPath,
	type ServerName,
} from "./token-file.ts";
