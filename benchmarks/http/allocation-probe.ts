/**
 * Preloaded into a server that is measured: reports how many bytes of heap its main thread allocates while a connection to
 * the socket in ALLOCATION_SOCKET is open. It does nothing at other times. The caller's side is in `allocations.ts`.
 */
import { createServer } from 'node:net';
import { GCProfiler, type GCProfilerResult, getHeapStatistics } from 'node:v8';

createServer({ allowHalfOpen: true }, (socket) => {
  const profiler = new GCProfiler();
  profiler.start();
  const beginBytes = getHeapStatistics().used_heap_size;
  socket.write('counting');
  socket.on('end', () => socket.end(String(allocatedBytes(profiler.stop(), beginBytes)))).resume();
})
  .listen(process.env.ALLOCATION_SOCKET)
  .unref();

/** What the heap grew by from one collection to the next. */
function allocatedBytes({ statistics }: GCProfilerResult, beginBytes: number): number {
  let bytes = 0;
  let usedBytes = beginBytes;
  for (const { beforeGC, afterGC } of statistics) {
    bytes += beforeGC.heapStatistics.usedHeapSize - usedBytes;
    usedBytes = afterGC.heapStatistics.usedHeapSize;
  }
  return bytes + getHeapStatistics().used_heap_size - usedBytes;
}
