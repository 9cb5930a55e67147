/** What rooms are sealed and signed with does what Project Wycheproof asks (C2SP, testvectors_v1), numbered as there. */
import { expect, test } from "bun:test";

import type { Bytes } from "./bytes.ts";
import { isSigned, verifier } from "./keys.ts";
import { nonce } from "./noise.ts";

function hex(text: string): Bytes {
	return Uint8Array.from(text.match(/../g) ?? [], (pair) => Number.parseInt(pair, 16));
}

const x25519 = [
	[
		"1: an ordinary key",
		"504a36999f489cd2fdbc08baff3d88fa00569ba986cba22548ffde80f9806829",
		"c8a9d5a91091ad851c668b0736c1c9a02936c0d3ad62670858088047ba057475",
		"436a2c040cf45fea9b29a0cb81b1f41458f863d0d61b453d0a982720d6d61320",
	],
	[
		"2: a key on the twist",
		"63aa40c6e38346c5caf23a6df0a5e6c80889a08647e551b3563449befcfc9733",
		"d85d8c061a50804ac488ad774ac716c3f5ba714b2712e048491379a500211958",
		"279df67a7c4611db4708a0e8282b195e5ac0ed6f4b2f292c6fbd0acac30d1332",
	],
	[
		"7: a key of two",
		"0200000000000000000000000000000000000000000000000000000000000000",
		"d03edde9f3e7b799045f9ac3793d4a9277dadeadc41bec0290f81f744f73775f",
		"b87a1722cc6c1e2feecb54e97abd5a22acc27616f78f6e315fd2b73d9f221e57",
	],
	[
		"19: a key with long runs of equal bits",
		"ffffff030000f8ffff1f0000c0ffffff000000feffff070000f0ffff3f000000",
		"105d621e1ef339c3d99245cfb77cd3a5bd0c4427a0e4d8752c3b51f045889b4f",
		"61eace52da5f5ecefafa4f199b077ff64f2e3d2a6ece6f8ec0497826b212ef5f",
	],
	[
		"25: a key close to the prime",
		"ffffffffffffff00000000000000ffffffffffffff00000000000000ffffff7f",
		"300305eb002bf86c71fe9c0b311993727b9dc618d0ce7251d0dfd8552d17905d",
		"f8624d6e35e6c548ac47832f2e5d151a8e53b9290363b28d2ab8d84ab7cb6a72",
	],
] as const;

test.each(x25519)("X25519, %s", async (_, other, secret, shared) => {
	const algorithm = { name: "X25519" } as const;
	const own = await crypto.subtle.importKey(
		"pkcs8",
		hex(`302e020100300506032b656e04220420${secret}`),
		algorithm,
		false,
		["deriveBits"],
	);
	const key = await crypto.subtle.importKey("raw", hex(other), algorithm, false, []);
	const bits = await crypto.subtle.deriveBits({ ...algorithm, public: key }, own, 256);
	expect(new Uint8Array(bits)).toEqual(hex(shared));
});

const first = "7d4d0e7f6153a69b6242b522abbee685fda4420f8834b108c3bdae369ef549fa";
const second = "a12c2beb77265f2aac953b5009349d94155a03ada416aad451319480e983ca4c";
const point = "7c38e026f29e14aabd059a0f2db8b0cd783040609a8be684db12f82a27774ab0";

/** The key, the message, the signature, and whether it holds. */
const ed25519 = [
	[
		"60: a signature whose point is zero",
		first,
		"313233343030",
		"0000000000000000000000000000000000000000000000000000000000000000e0b8e7770d51c7a36375d006c5bffd6af43ff54aaf47e4330dc118c71d61ec02",
		false,
	],
	[
		"61: a signature whose point is none",
		first,
		"313233343030",
		"ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff463a1908382e7eb7693acef9884f7cf931a215e0791876be22c631a59881fd0e",
		false,
	],
	[
		"63: the order of the group is added",
		first,
		"54657374",
		`${point}67654bce3832c2d76f8f6f5dafc08d9339d4eef676573336a5c51eb6f946b31d`,
		false,
	],
	[
		"64: twice the order is added",
		first,
		"54657374",
		`${point}5439412b5395d42f462c67008eba6ca839d4eef676573336a5c51eb6f946b32d`,
		false,
	],
	[
		"65: four times the order is added",
		first,
		"54657374",
		`${point}2ee12ce5875bf9dff26556464bae2ad239d4eef676573336a5c51eb6f946b34d`,
		false,
	],
	[
		"66: eight times the order is added",
		first,
		"54657374",
		`${point}e2300459f1e742404cd934d2c595a6253ad4eef676573336a5c51eb6f946b38d`,
		false,
	],
	[
		"67: bit 253 is set",
		first,
		"54657374",
		`${point}7a9155711ecfaf7f99f277bad0c6ae7e39d4eef676573336a5c51eb6f946b32d`,
		false,
	],
	[
		"69: bit 255 is set",
		first,
		"54657374",
		`${point}7a9155711ecfaf7f99f277bad0c6ae7e39d4eef676573336a5c51eb6f946b38d`,
		false,
	],
	[
		"71: nothing, signed",
		second,
		"",
		"5056325d2ab440bf30bbf0f7173199aa8b4e6fbc091cf3eb6bc6cf87cd73d992ffc216c85e4ab5b8a0bbc7e9a6e9f8d33b7f6e5ac0ffdc22d9fcaf784af84302",
		true,
	],
	[
		"75: six bytes, signed",
		second,
		"313233343030",
		"9bbb1052dcfa8ad2715c2eb716ae4f1902dea353d42ee09fd4c0b4fcb8b52b5219e2200016e1199d0061891c263e31b0bc3b55673c19610c4e0fa5408004160b",
		true,
	],
] as const;

test.each(ed25519)("Ed25519, %s", async (_, key, message, signature, holds) => {
	const bytes = hex(message);
	const parts = [bytes.subarray(0, 2), bytes.subarray(2)];
	expect(await isSigned(await verifier(hex(key)), hex(signature), ...parts)).toBe(holds);
});

/** The key, the nonce, what is bound, the plain text, the sealed one, its tag. */
const aesGcm = [
	[
		116,
		"0f112e59cdccd851c3b8e76c9f05a3b7c2e4feca5846afeb351c1cbcace82f04",
		"7147973339d86789a2c9a958",
		"37128be45f0a7f329546e1492c3c9c2d2534d5b1f5147e49ab91221e7c3edea21bbe47bfe3619437ce3c61e6e946c504f348296918219e51bf2c5598589cff",
		"102e5804dda1fb5d656077edb15cadb5d0bdee8c",
		"618ac626ae0e8d06c2fd2fb66be253dc26ed6e38",
		"d8d93ff975cb988f09174dcd439cb6a4",
	],
	[
		117,
		"2ce6b4c15f85fb2da5cc6c269491eef281980309181249ebf2832bd6d0732d0b",
		"c064fae9173b173fd6f11f34",
		"498d3075b09fed998280583d61bb36b6ce41f130063b80824d1586e143d349b126b16aa10fe57343ed223d6364ee602257fe313a7fc9bf9088f027795b8dc1d3",
		"f8a27a4baf00dc0555d222f2fa4fb42dc666ea3c",
		"aed58d8a252f740dba4bf6d36773bd5b41234bba",
		"01f93d7456aa184ebb49bea472b6d65d",
	],
	[
		118,
		"52350da5a572911ee0e0fcedb115af6f4570fbf9c74a11bc184444d6a621d60f",
		"d68ad045c1b9c2923cf5404c",
		"03a94b3841292d9bbf72f413c09167c54ee10537c049afe2bbcec43b18f3890b2fcdd3bb31e6d709274e199c0c4648eb3d8b38e0c1bf7f309443bef6937cde4123",
		"4e6e6dad2c16cfc6e7cac03636a4a6d88bd6a13e",
		"c7764411be13cfeaaece761bd3bb13552f088048",
		"bcc2544e79f34ea1076a12b76441d6fa",
	],
] as const;

test.each(aesGcm)(
	"AES-256-GCM, %d, and nothing else opens",
	async (_, secret, at, bound, plain, body, tag) => {
		const key = await crypto.subtle.importKey("raw", hex(secret), "AES-GCM", false, ["encrypt", "decrypt"]);
		const iv = nonce(Number.parseInt(at.slice(0, 8), 16), BigInt(`0x${at.slice(8)}`));
		expect(iv).toEqual(hex(at));
		const parameters = { name: "AES-GCM", iv, additionalData: hex(bound) };
		const sealed = hex(body + tag);
		expect(new Uint8Array(await crypto.subtle.encrypt(parameters, key, hex(plain)))).toEqual(sealed);
		expect(new Uint8Array(await crypto.subtle.decrypt(parameters, key, sealed))).toEqual(hex(plain));
		for (const place of sealed.keys()) {
			const changed = sealed.slice();
			changed[place] = (changed[place] ?? 0) ^ 1;
			expect(crypto.subtle.decrypt(parameters, key, changed)).rejects.toThrow();
		}
		const elsewhere = { ...parameters, additionalData: hex(`${bound}00`) };
		expect(crypto.subtle.decrypt(elsewhere, key, sealed)).rejects.toThrow();
	},
);
