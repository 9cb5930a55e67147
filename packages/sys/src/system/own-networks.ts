/** The addresses of this machine on its interfaces, as networks: a public one leads to its services as well as 127.0.0.1. */
import { networkInterfaces } from "node:os";

type Interfaces = ReturnType<typeof networkInterfaces>;

/**
 * Read anew each time, because a VPN comes and goes. IPv6 has no private range in use: the other devices of a home have public
 * addresses in the network of the interface. A larger one than a link's is the provider's, and only our address counts.
 */
export function ownNetworks(interfaces: Interfaces = networkInterfaces()): string[] {
	return Object.values(interfaces).flatMap((list = []) =>
		list.map(({ address, cidr, family }) => {
			if (family === "IPv4") return `${address}/32`;
			return cidr !== null && Number(cidr.split("/")[1]) >= linkBits ? cidr : `${address}/128`;
		}),
	);
}

/** The prefix of a link in IPv6 (RFC 4291). */
const linkBits = 64;
