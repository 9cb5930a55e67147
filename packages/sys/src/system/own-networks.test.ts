/** What leads back to this machine: its addresses, and in IPv6 the link that they are on. */
import { expect, test } from "bun:test";
import { networkInterfaces } from "node:os";

import { ownNetworks } from "./own-networks.ts";

const interfaceAt = (address: string, bits: number, family: "IPv4" | "IPv6") => {
	const shared = { address, netmask: "", mac: "", internal: false, cidr: `${address}/${bits}` };
	return family === "IPv4" ? { ...shared, family } : { ...shared, family, scopeid: 0 };
};

test("each address counts alone, and in IPv6 with its link, unless the network is a provider's", () => {
	const eth0 = [
		interfaceAt("198.51.100.7", 24, "IPv4"),
		interfaceAt("2001:db8::7", 64, "IPv6"),
		interfaceAt("2001:db8:1::7", 48, "IPv6"),
	];
	expect(ownNetworks({ eth0, none: undefined })).toEqual([
		"198.51.100.7/32",
		"2001:db8::7/64",
		"2001:db8:1::7/128",
	]);
});

test("the interfaces of this machine are read", () => {
	const addresses = Object.values(networkInterfaces()).flatMap((list) => list ?? []);
	expect(ownNetworks()).toHaveLength(addresses.length);
});
