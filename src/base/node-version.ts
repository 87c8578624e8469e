/**
 * Ends the process with one sentence when Node is too old for the gateway. Imported first by whatever may be started by
 * hand; `scripts/sluice` says the same where Node cannot even read this file.
 */
const OLDEST = 24;

if (Number(process.versions.node.split('.')[0]) < OLDEST) {
  process.stderr.write(
    `Sluice needs Node ${OLDEST} or newer and this is ${process.version}: start it with npm start, which brings its own.\n`,
  );
  process.exit(1);
}

export {};
