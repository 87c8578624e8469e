/** The settings with which several gateways serve one database: SLUICE_PEER_ADDRESS, _SECRET and _BIND. */
import { isIP } from 'node:net';
import { type PeerAddress, type PeerSettings, parsePeerAddress } from '#base/peer-address.ts';
import { ConfigError } from './config-error.ts';
import { secretOf } from './secrets.ts';

const SECRET_LENGTH_MIN = 32;

/** Reads the three variables; null without them. Throws ConfigError, which never repeats the secret. */
export function readPeer(
  environment: Readonly<Record<string, string | undefined>>,
  databaseUrl: string,
): PeerSettings | null {
  const { SLUICE_PEER_ADDRESS: address, SLUICE_PEER_BIND: bind } = environment;
  const secret = secretOf(environment, 'SLUICE_PEER_SECRET');
  if (!address) {
    if (secret || bind)
      throw new ConfigError(
        `SLUICE_PEER_${secret ? 'SECRET' : 'BIND'} is set and SLUICE_PEER_ADDRESS is not; set it to the host:port where other gateways reach this one, or remove both.`,
      );
    return null;
  }
  if (!secret)
    throw new ConfigError(
      'SLUICE_PEER_ADDRESS is set and SLUICE_PEER_SECRET is not; set it to the same text on all gateways, such as the output of: openssl rand -hex 32',
    );
  if (secret.length < SECRET_LENGTH_MIN)
    throw new ConfigError(
      `SLUICE_PEER_SECRET has ${secret.length} characters; make it at least ${SECRET_LENGTH_MIN}, such as the output of: openssl rand -hex 32`,
    );
  if (databaseUrl.startsWith('sqlite:'))
    throw new ConfigError(
      'SLUICE_PEER_ADDRESS needs MySQL or MariaDB, because one gateway alone can use SQLite; set DATABASE_URL to mysql://user:password@host/database, or remove SLUICE_PEER_ADDRESS and SLUICE_PEER_SECRET.',
    );
  const { host, port } = readAddress(address);
  return { host, port, bind: readBind(bind, { host, port }), secret };
}

function readAddress(text: string) {
  const address = parsePeerAddress(text);
  if (!address)
    throw new ConfigError(
      `SLUICE_PEER_ADDRESS is ${JSON.stringify(text)}; make it the host:port where other gateways reach this one, such as 10.0.0.7:9100.`,
    );
  if (/^(0\.0\.0\.0|[0:]+)$/.test(address.host))
    throw new ConfigError(
      `SLUICE_PEER_ADDRESS is ${text}, which nobody can reach; make it this machine's own address, and set SLUICE_PEER_BIND=${address.host} to listen on all of them.`,
    );
  return address;
}

function readBind(bind: string | undefined, { host, port }: PeerAddress): PeerSettings['bind'] {
  if (!bind) return { host: isIP(host) ? host : null, port };
  if (isIP(bind)) return { host: bind, port };
  const address = parsePeerAddress(bind);
  if (address && isIP(address.host)) return address;
  throw new ConfigError(
    `SLUICE_PEER_BIND is ${JSON.stringify(bind)}; make it an IP address of this machine, or 0.0.0.0 for all, with :port where that differs.`,
  );
}
