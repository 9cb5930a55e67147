/** What both ends of a handshake have to agree on before it: the room and the link. */
import { utf8, type Bytes } from "./bytes.ts";

export function prologueOf(room: string, link: string, stream: number, peer: string): Bytes {
	return utf8(`tau room v1\n${room}\n${link}\n${stream}\n${peer}`);
}
